/** The headers of a request and of its answer that the proxy forwards. */
import type { IncomingHttpHeaders } from 'node:http';
import { tokenProtocolPrefix } from '../../authn/identity/bearer.js';
import type { HttpExchange, ResponseHeaders } from '../../apiserver/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import { cleanPath } from './path.js';

/** Headers of one connection, which are not forwarded. as net/http/httputil hopHeaders */
const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that are replaced or dropped. The client's credentials must not reach the other server. */
const replaced = new Set(['authorization', 'host', 'expect', 'x-forwarded-for', 'audit-id']);
const identityHeaders = /^(?:impersonate-|x-remote-)/;

/** Groups that every server adds by itself. as karmada pkg/util/proxy SkipGroup */
const implicitGroups = new Set(['system:authenticated', 'system:unauthenticated']);

/** Encodes non-ASCII text as UTF-8 in a header value, of which Node.js writes every character as one byte. */
export const wireText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Returns the header names in a Connection header, which belong to the connection, too. */
function namedByConnection(connection: string | string[] | undefined): ReadonlySet<string> {
  const text = Array.isArray(connection) ? connection.join(',') : (connection ?? '');
  return new Set(text.split(',').map(name => name.trim().toLowerCase()));
}

/** Removes bearer tokens, which a WebSocket client may send as a subprotocol. */
function withoutToken(protocols: string): string {
  const kept = protocols
    .split(',')
    .map(protocol => protocol.trim())
    .filter(protocol => !protocol.startsWith(tokenProtocolPrefix));
  return kept.join(', ');
}

/** Returns the headers by which the other server impersonates the requester: name, value, name, value. */
export function impersonationHeaders({ name, groups }: Identity): string[] {
  const headers = ['Impersonate-User', wireText(name)];
  for (const group of groups) if (!implicitGroups.has(group)) headers.push('Impersonate-Group', wireText(group));
  return headers;
}

/** Headers that say how the client has addressed a request. */
const forwardedNames: ReadonlySet<string> = new Set(['x-forwarded-uri', 'x-forwarded-host', 'x-forwarded-proto']);

/** Returns these headers, which are not sent with upgrades. as apimachinery/pkg/util/proxy Transport.RoundTrip, UpgradeAwareHandler.ServeHTTP */
export function forwardedHeaders({ path, upgrades }: HttpExchange, host: string): readonly string[] {
  if (upgrades !== undefined) return [];
  return ['X-Forwarded-Uri', cleanPath(path), 'X-Forwarded-Host', host, 'X-Forwarded-Proto', 'https'];
}

interface OwnHeaders {
  /** Headers that replace the client's credentials: name, value. */
  readonly identity: readonly string[];
  readonly auditId: string;
  /** Headers that replace what the client says about how it has addressed the request: name, value. Empty: the client's stay. */
  readonly forwarded: readonly string[];
}

/** hot: returns the headers to send: name, value, name, value. */
export function requestHeaders(exchange: HttpExchange, { identity, auditId, forwarded }: OwnHeaders): string[] {
  const { rawHeaders: raw, headers, peer } = exchange;
  const named = namedByConnection(headers['connection']);
  const out: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const header = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    if (header.startsWith(':')) continue; // HTTP/2's own
    const name = header.toLowerCase();
    if (hopByHop.has(name) || replaced.has(name) || named.has(name) || identityHeaders.test(name)) continue;
    if (forwarded.length > 0 && forwardedNames.has(name)) continue;
    if (name === 'sec-websocket-protocol') {
      const kept = withoutToken(value);
      if (kept !== '') out.push(header, kept);
    } else out.push(header, value);
  }
  const before = headers['x-forwarded-for'];
  const clients = [...(before === undefined ? [] : [before].flat()), peer.address].filter(client => client !== '');
  if (clients.length > 0) out.push('X-Forwarded-For', clients.join(', '));
  out.push(...forwarded, 'Audit-Id', auditId, ...identity);
  return out;
}

/** Returns the headers for a request with another body. */
export function withBody(
  headers: readonly string[],
  { bytes, type }: { bytes: Buffer; type: string | undefined },
): string[] {
  const out: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]?.toLowerCase();
    if (name === 'content-length' || (type !== undefined && name === 'content-type')) continue;
    out.push(headers[i] ?? '', headers[i + 1] ?? '');
  }
  if (type !== undefined) out.push('Content-Type', type);
  return [...out, 'Content-Length', String(bytes.length)];
}

/** hot: returns the response headers without those of the connection. */
export function responseHeaders(headers: IncomingHttpHeaders): ResponseHeaders {
  const named = namedByConnection(headers.connection);
  const out: ResponseHeaders = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !hopByHop.has(name) && !named.has(name)) out[name] = value;
  }
  return out;
}
