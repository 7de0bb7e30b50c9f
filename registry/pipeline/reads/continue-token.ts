/** The continue tokens of lists: unpadded base64url of `{"v":"meta.k8s.io/v1","rv":N,"start":"ns/name\u0000"}` (OBJ-073). */
import { goQuote } from '../../../openapi/meta/go-text.js';
import { badRequest } from '../../../openapi/meta/status.js';

export interface ContinueToken {
  /** Of the first page; -1: the rest of the list is taken from the newest state. */
  readonly revision: number;
  /** The first key of the rest, below the prefix of the list. */
  readonly start: string;
}

/** `last`: the key of the last item, below the prefix of the list. */
export function encodeContinue(revision: number, last: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${last}\u0000` })).toString(
    'base64url',
  );
}

/** Throws 400 with upstream's texts. Keys may begin with a slash, as those of upstream's watch cache do. */
// as apiserver/pkg/storage DecodeContinue
export function decodeContinue(token: string): ContinueToken {
  const invalid = (text: string): Error => badRequest(`invalid continue token: continue key is not valid: ${text}`);
  const broken = /[^A-Za-z0-9_-]/.exec(token);
  if (broken) throw invalid(`illegal base64 data at input byte ${broken.index}`);
  if (token.length % 4 === 1) throw invalid(`illegal base64 data at input byte ${token.length - 1}`);
  const { v, rv, start } = parsed(Buffer.from(token, 'base64url').toString(), invalid);
  if (v !== 'meta.k8s.io/v1')
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${String(v ?? '')}`,
    );
  if (rv === undefined || rv === 0) throw invalid('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw invalid('encoded start key empty (version meta.k8s.io/v1)');
  if (typeof rv !== 'number')
    throw invalid(`json: cannot unmarshal ${typeof rv} into Go struct field continueToken.rv of type int64`);
  const key = start.startsWith('/') ? start : `/${start}`;
  const segments = key.split('/').slice(1);
  if (segments.some((s, i) => s === '.' || s === '..' || (s === '' && i < segments.length))) throw invalid(start);
  return { revision: rv, start: key.slice(1) };
}

function parsed(text: string, invalid: (text: string) => Error): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(
      text === ''
        ? 'unexpected end of JSON input'
        : `invalid character ${goQuote(text.charAt(0)).replaceAll('"', "'")} looking for beginning of value`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('json: cannot unmarshal value into Go value of type storage.continueToken');
  return value as Record<string, unknown>;
}
