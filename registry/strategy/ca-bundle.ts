/** Validates the CA bundles of webhooks. */
import { X509Certificate } from 'node:crypto';
import { errorText } from '../../apimachinery/errors/error-text.js';

/**
 * Characters and certificates of a CA bundle in PEM, which OpenSSL reads at once, in a fifth of a millisecond each. Bundles of operating systems have
 * some 220,000 and 150. differs: upstream limits only the object that contains it.
 */
const maxLength = 256 * 1024;
const maxCertificates = 200;

/** Returns the fault of a CA bundle in PEM that takes long to read; undefined for others. */
export function longAuthorityFault(text: string): string | undefined {
  if (text.length > maxLength) return `the CA bundle is longer than ${maxLength} characters`;
  if (text.split('-----BEGIN ').length - 1 <= maxCertificates) return undefined;
  return `the CA bundle has more than ${maxCertificates} certificates`;
}

/** Certificates that are tried until one is valid. differs: upstream tries all of them. */
const maxTried = 64;

const mark = /-----(BEGIN|END) ([^-\n]+)-----/g;

interface Block {
  readonly label: string;
  readonly body: string;
  readonly whole: string;
}

/** Returns the PEM blocks: each BEGIN with the next END of its label, without nested blocks. One pass, since ENDs may be missing. */
function blocksOf(text: string): Block[] {
  const marks = [...text.matchAll(mark)];
  const ends = new Map<string, RegExpExecArray>();
  const nextEnd = marks.reduceRight<(RegExpExecArray | undefined)[]>((all, each, i) => {
    const [, type, label = ''] = each;
    all[i] = ends.get(label);
    if (type === 'END') ends.set(label, each);
    return all;
  }, []);
  const blocks: Block[] = [];
  let from = 0;
  for (const [i, { 0: line, 1: type, 2: label = '', index }] of marks.entries()) {
    const end = nextEnd[i];
    const body = index + line.length;
    if (type !== 'BEGIN' || index < from || !end || text[body] !== '\n') continue;
    from = end.index + end[0].length;
    blocks.push({ label, body: text.slice(body + 1, end.index), whole: text.slice(index, from) });
  }
  return blocks;
}

/** Returns the fault of a bundle (base64 of PEM); undefined if it has a certificate, or is empty, which means the system's roots. */
// as client-go/transport rootCertPool, createErrorParsingCAData
export function caBundleFault(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const long = longAuthorityFault(text);
  if (long !== undefined) return `unable to load root certificates: ${long}`;
  const all = blocksOf(text);
  let fault: string | undefined;
  let tried = 0;
  for (const { whole, label, body } of all) {
    if (label !== 'CERTIFICATE' || body.includes(':')) continue;
    if (++tried > maxTried) break;
    const error = certificateError(whole);
    if (error === undefined) return undefined;
    fault ??= `failed to parse certificate: ${error}`;
  }
  fault ??= all.length > 0 ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
  return `unable to load root certificates: ${fault}`;
}

// differs: the text is OpenSSL's and not Go's
function certificateError(pem: string): string | undefined {
  try {
    new X509Certificate(pem);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
