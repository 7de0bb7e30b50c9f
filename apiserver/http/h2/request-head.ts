/** The head of a request over HTTP/2: what RFC 9113, section 8.2 and 8.3, asks of it. */
import type { Field } from '../../../lib/http2/hpack.js';

export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** Without those that begin with a colon; what came several times is joined. */
  readonly headers: RequestHeaders;
  /** Name, value, name, value, as they came. */
  readonly raw: readonly string[];
}

/** RFC 9110, 5.6.2, without upper-case letters. */
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/** RFC 9113, 8.2.1. */
const noValue = /[\0\r\n]|^[ \t]|[ \t]$/;

/** They concern a connection, and have no meaning here (8.2.2). */
const ofConnections = new Set(['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** Of which one is meant: those that come after it are passed over, as node does with HTTP/1.1. */
const single = new Set([
  ...['age', 'authorization', 'content-length', 'content-type', 'etag', 'expires', 'from', 'host', 'if-modified-since'],
  ...['if-unmodified-since', 'last-modified', 'location', 'max-forwards', 'proxy-authorization', 'referer'],
  ...['retry-after', 'user-agent'],
]);

const colon = 0x3a;

/** Objects of one shape, as fast as others, in which no name stands that nobody sent. */
const Headers = function () {
  // nothing of its own
} as unknown as new () => Record<string, string | undefined>;
Headers.prototype = Object.create(null) as object;

/** A header that may not be there. */
function isMisplaced(name: string, value: string): boolean {
  if (name === 'te') return value.toLowerCase() !== 'trailers';
  return ofConnections.has(name);
}

/** hot. */
export function isField({ name, value }: Field): boolean {
  return token.test(name) && !noValue.test(value) && !isMisplaced(name, value);
}

function add(headers: Record<string, string | undefined>, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (!single.has(name)) headers[name] = before + (name === 'cookie' ? '; ' : ', ') + value;
}

/** What a request says of itself before its headers; each may be said once. */
interface Pseudo {
  method: string | undefined;
  scheme: string | undefined;
  path: string | undefined;
  authority: string | undefined;
}

function note(pseudo: Pseudo, name: string, value: string): boolean {
  const known = name.slice(1);
  if (known !== 'method' && known !== 'scheme' && known !== 'path' && known !== 'authority') return false;
  if (pseudo[known] !== undefined || noValue.test(value)) return false;
  pseudo[known] = value;
  return true;
}

/** CONNECT names an authority and nothing else (8.5); it is for proxies. */
const isWhole = ({ method, scheme, path, authority }: Pseudo): boolean =>
  method === 'CONNECT'
    ? scheme === undefined && path === undefined && authority !== undefined
    : method !== undefined && scheme !== undefined && path !== undefined && (path.startsWith('/') || path === '*');

const digits = /^\d+$/;

/** A length that is none, or another one than was said before. */
const isNoLength = (value: string, before: string | undefined): boolean =>
  !digits.test(value) || (before !== undefined && before !== value);

/** hot: undefined: it is malformed. */
export function requestHead(fields: readonly Field[]): RequestHead | undefined {
  const pseudo: Pseudo = { method: undefined, scheme: undefined, path: undefined, authority: undefined };
  const headers = new Headers();
  const raw: string[] = [];
  for (const field of fields) {
    const { name, value } = field;
    if (name.charCodeAt(0) === colon) {
      if (raw.length > 0 || !note(pseudo, name, value)) return undefined;
      continue;
    }
    if (!isField(field)) return undefined;
    // differs: Go takes the first of several
    if (name === 'host' && headers[name] !== undefined) return undefined;
    if (name === 'content-length' && isNoLength(value, headers[name])) return undefined;
    raw.push(name, value);
    add(headers, name, value);
  }
  const { method, path, authority } = pseudo;
  if (!isWhole(pseudo) || method === undefined || !token.test(method.toLowerCase())) return undefined;
  if (authority !== undefined) headers['host'] ??= authority;
  return { method, target: path ?? '/', headers, raw };
}
