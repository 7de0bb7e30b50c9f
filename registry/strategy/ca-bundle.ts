/** Certificates that others are trusted by, as webhooks name them. */
import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN ([^-\n]+)-----\n([\s\S]*?)-----END \1-----/g;

/** Why nothing can be trusted by a bundle (base64 of PEM); undefined when it is good. An empty one is: the system's roots count then. */
// as client-go/transport rootCertPool, createErrorParsingCAData
export function caBundleFault(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const all = [...text.matchAll(block)];
  let wrong: string | undefined;
  for (const [whole, label, body = ''] of all) {
    if (label !== 'CERTIFICATE' || body.includes(':')) continue;
    const error = certificateError(whole);
    if (error === undefined) return undefined;
    wrong ??= `failed to parse certificate: ${error}`;
  }
  wrong ??= all.length > 0 ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
  return `unable to load root certificates: ${wrong}`;
}

// differs: what is wrong with the bytes is said in OpenSSL's words
function certificateError(pem: string): string | undefined {
  try {
    new X509Certificate(pem);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
