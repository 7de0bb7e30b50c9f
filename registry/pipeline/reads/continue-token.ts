/**
 * Reads and writes the continue tokens of lists: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":N,"start":"ns/name\u0000"}`.
 * as apiserver/pkg/storage EncodeContinue
 */
import { badRequest } from '../../../apimachinery/errors/status.js';
import { decodeNative } from '../../../apimachinery/codec/decode.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { parseStrict } from '../../../apimachinery/codec/strict-json.js';

export interface ContinueToken {
  /** The revision of the first page; -1 if the remaining pages are of the newest revision. */
  readonly revision: number;
  /** The first key of the next page, without the prefix of the list. */
  readonly start: string;
}

/** Returns the token for the next page. `last` is the key of the last item, without the prefix of the list. */
export function encodeContinue(revision: number, last: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${last}\u0000` })).toString(
    'base64url',
  );
}

/** Decodes a token. Throws 400 with upstream's texts. Keys may begin with a slash, as those of upstream's watch cache do. */
// as apiserver/pkg/storage DecodeContinue
export function decodeContinue(token: string): ContinueToken {
  const invalid = (text: string): Error => badRequest(`invalid continue token: continue key is not valid: ${text}`);
  const broken = /[^A-Za-z0-9_-]/.exec(token);
  if (broken) throw invalid(`illegal base64 data at input byte ${broken.index}`);
  if (token.length % 4 === 1) throw invalid(`illegal base64 data at input byte ${token.length - 1}`);
  const { v = '', rv = 0, start = '' } = fieldsOf(Buffer.from(token, 'base64url'), invalid);
  if (v !== 'meta.k8s.io/v1') throw invalid(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalid('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (start === '') throw invalid('encoded start key empty (version meta.k8s.io/v1)');
  const key = start.startsWith('/') ? start : `/${start}`;
  const segments = key.split('/').slice(1);
  if (segments.some((s, i) => s === '.' || s === '..' || (s === '' && i < segments.length))) throw invalid(start);
  return { revision: rv, start: key.slice(1) };
}

interface Fields {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

// as apiserver/pkg/storage continueToken
const schema: Schema = {
  type: 'object',
  typeName: 'storage.continueToken',
  properties: { v: { type: 'string' }, rv: { type: 'integer', format: 'int64' }, start: { type: 'string' } },
};

function fieldsOf(json: Buffer, invalid: (text: string) => Error): Fields {
  try {
    parseStrict(json.toString('latin1'), { isLatin1: true });
    return decodeNative(json.toString(), schema).object;
  } catch (error) {
    if (error instanceof DecodeError) throw invalid(error.message);
    throw error;
  }
}
