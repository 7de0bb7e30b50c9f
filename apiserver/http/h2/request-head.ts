/** Reads the head of a request over HTTP/2, and checks what RFC 9113, sections 8.2 and 8.3, requires. */
import { connectionHeaders, fieldName } from '../../../lib/http2/field-rules.js';
import type { HeaderField } from '../../../lib/http2/hpack.js';

export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The headers without pseudo-headers; the values of a repeated header are joined. */
  readonly headers: RequestHeaders;
  /** Name, value, name, value, as they were sent. */
  readonly raw: readonly string[];
}

/** Matches an invalid value (RFC 9113, section 8.2.1). */
const invalidValue = /[\0\r\n]|^[ \t]|[ \t]$/;

/** Headers with one value: further ones are ignored, as by Node.js for HTTP/1.1. */
const single = new Set([
  ...['age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since'],
  ...['if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer'],
  ...['retry-after', 'user-agent'],
]);

const colon = 0x3a;

/** Creates objects of one shape, as fast as literals, without the properties of Object.prototype: they have only names that were sent. */
const Headers = function () {
  // Instances begin without properties.
} as unknown as new () => Record<string, string | undefined>;
Headers.prototype = Object.create(null) as object;

/** Returns whether the header is invalid in HTTP/2. */
function isMisplaced(name: string, value: string): boolean {
  if (name === 'te') return value.toLowerCase() !== 'trailers';
  return connectionHeaders.has(name);
}

/** hot: returns whether a header that is no pseudo-header is valid. */
export function isField({ name, value }: HeaderField): boolean {
  return fieldName.test(name) && !invalidValue.test(value) && !isMisplaced(name, value);
}

function add(headers: Record<string, string | undefined>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (!single.has(name)) headers[name] = before + (name === 'cookie' ? '; ' : ', ') + value;
}

/** The pseudo-headers of a request, each of which may come once. */
interface Pseudo {
  method: string | undefined;
  scheme: string | undefined;
  path: string | undefined;
  authority: string | undefined;
}

/** Sets a pseudo-header. Returns false when it is invalid. */
function setPseudo(pseudo: Pseudo, name: string, value: string): boolean {
  const known = name.slice(1);
  if (known !== 'method' && known !== 'scheme' && known !== 'path' && known !== 'authority') return false;
  if (pseudo[known] !== undefined || invalidValue.test(value)) return false;
  pseudo[known] = value;
  return true;
}

/** Returns whether the pseudo-headers are those of a request. CONNECT, a method for proxies, has only an authority (section 8.5). */
const isWhole = ({ method, scheme, path, authority }: Pseudo): boolean =>
  method === 'CONNECT'
    ? scheme === undefined && path === undefined && authority !== undefined
    : method !== undefined && scheme !== undefined && path !== undefined && (path.startsWith('/') || path === '*');

const digits = /^\d+$/;

/** Returns whether a Content-Length is invalid, or differs from an earlier one. */
const isInvalidLength = (value: string, before: string | undefined): boolean =>
  !digits.test(value) || (before !== undefined && before !== value);

/** hot: returns the head of a request; undefined when it is malformed. */
export function requestHead(fields: readonly HeaderField[]): RequestHead | undefined {
  const pseudo: Pseudo = { method: undefined, scheme: undefined, path: undefined, authority: undefined };
  const headers = new Headers();
  const raw: string[] = [];
  for (const field of fields) {
    const { name, value } = field;
    if (name.charCodeAt(0) === colon) {
      if (raw.length > 0 || !setPseudo(pseudo, name, value)) return undefined;
      continue;
    }
    if (!isField(field)) return undefined;
    // differs: Go uses the first of several.
    if (name === 'host' && headers[name] !== undefined) return undefined;
    if (name === 'content-length' && isInvalidLength(value, headers[name])) return undefined;
    raw.push(name, value);
    add(headers, name, value);
  }
  const { method, path, authority } = pseudo;
  if (!isWhole(pseudo) || method === undefined || !fieldName.test(method.toLowerCase())) return undefined;
  if (authority !== undefined) headers['host'] ??= authority;
  return { method, target: path ?? '/', headers, raw };
}
