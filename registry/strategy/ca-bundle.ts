/** Certificates that others are trusted by, as webhooks name them. */
import { X509Certificate } from 'node:crypto';
import { errorText } from '../../apimachinery/errors/error-text.js';

const mark = /-----(BEGIN|END) ([^-\n]+)-----/g;

interface Block {
  readonly label: string;
  readonly body: string;
  readonly whole: string;
}

/** Each begin with the next end of its label; what begins before that end is inside. In one pass: ends may be missing. */
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

/** Why nothing can be trusted by a bundle (base64 of PEM); undefined when it is good. An empty one is: the system's roots count then. */
// as client-go/transport rootCertPool, createErrorParsingCAData
export function caBundleFault(bundle: string): string | undefined {
  const text = Buffer.from(bundle, 'base64').toString('latin1');
  if (text === '') return undefined;
  const all = blocksOf(text);
  let wrong: string | undefined;
  for (const { whole, label, body } of all) {
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
    return errorText(error);
  }
}
