/** Reads bearer tokens from the Authorization header, or from a WebSocket subprotocol for clients that cannot set headers. */
import { isUtf8 } from 'node:buffer';
import type { Authenticator, Headers, TokenAuthenticator, TokenConnection } from '../interface.js';
import { QueueFullError } from '../../lib/fair-limit.js';
import { settle } from '../../lib/maybe.js';
import { tooManyRequests } from '../../apimachinery/errors/status.js';
import { unauthorizedBecause } from './client-certificate.js';
import { headerValue, headerValues } from './headers.js';

export const tokenProtocolPrefix = 'base64url.bearer.authorization.k8s.io.';

/** Returns the bearer token; '' when there is none. Other schemes are ignored. */
function bearerToken(headers: Headers): string {
  const [scheme = '', token = ''] = headerValue(headers, 'authorization').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' ? token : '';
}

const listed = (headers: Headers, name: string): readonly string[] =>
  headerValues(headers, name).flatMap(value => value.split(',').map(item => item.trim()));

const isWebSocket = (headers: Headers): boolean =>
  headerValue(headers, 'upgrade').toLowerCase() === 'websocket' &&
  listed(headers, 'connection').some(option => option.toLowerCase() === 'upgrade');

/** Returns the subprotocols without the one that carries a token, which is never answered. */
export const plainProtocols = (headers: Headers): readonly string[] =>
  listed(headers, 'sec-websocket-protocol').filter(protocol => !protocol.startsWith(tokenProtocolPrefix));

// as staging/src/k8s.io/apiserver/pkg/authentication/request/websocket/protocol.go
function protocolToken(headers: Headers): string {
  if (!isWebSocket(headers)) return '';
  const carriers = listed(headers, 'sec-websocket-protocol').filter(p => p.startsWith(tokenProtocolPrefix));
  const [carrier] = carriers;
  if (carrier === undefined) return '';
  if (carriers.length > 1) throw new Error('multiple base64.bearer.authorization tokens specified');
  const encoded = carrier.slice(tokenProtocolPrefix.length);
  const token = Buffer.from(encoded, 'base64url');
  if (token.toString('base64url') !== encoded) throw new Error('invalid base64.bearer.authorization token encoding');
  if (!isUtf8(token)) throw new Error('invalid base64.bearer.authorization token');
  if (token.length > 0 && plainProtocols(headers).length === 0) throw new Error('missing additional subprotocol');
  return token.toString('utf8');
}

/** Returns 429: the token was not verified, since too many wait for it. */
export const tooManyTokens = (): Error =>
  tooManyRequests('too many tokens are being verified, please try again later', 1);

const refuse = (error: unknown): never => {
  throw error instanceof QueueFullError ? tooManyTokens() : unauthorizedBecause(error);
};

/** Authenticates bearer tokens. Rejects an unknown token with Unauthorized, whose cause is the reason. */
export function bearer(authenticate: TokenAuthenticator): Authenticator {
  const check = (token: string, connection: TokenConnection | undefined): ReturnType<Authenticator> =>
    settle(
      () => authenticate(token, [], connection),
      answer => answer?.identity ?? refuse(new Error('invalid bearer token')),
      refuse,
    );
  return ({ headers, connection }) =>
    settle(
      () => bearerToken(headers) || protocolToken(headers),
      token => (token === '' ? undefined : check(token, connection)),
      refuse,
    );
}
