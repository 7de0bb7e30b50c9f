/** Validates the CA bundles of webhooks. */
import { X509Certificate } from 'node:crypto';
import { errorText } from '../../apimachinery/errors/error-text.js';

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
  const all = blocksOf(text);
  let fault: string | undefined;
  for (const { whole, label, body } of all) {
    if (label !== 'CERTIFICATE' || body.includes(':')) continue;
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
