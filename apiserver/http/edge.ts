/** Filters for browsers and load balancers, as configured: CORS, HSTS, GOAWAY, Retry-After. */
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import type { ResponseHeaders } from '../interface.js';
import { answer, TextAnswer } from './answer.js';
import type { RequestFilter } from './filters.js';

export interface EdgeOptions {
  /** Regular expressions; pages of an origin that matches one of them may call the API. */
  readonly allowedOrigins?: readonly string[];
  /** Directives of Strict-Transport-Security: `max-age=31536000`, `includeSubDomains`. */
  readonly transportSecurity?: readonly string[];
  /** The fraction of HTTP/2 requests after which the client gets a GOAWAY: 0 to 0.02. */
  readonly goawayChance?: number;
  /** While the server shuts down, new requests are answered with 429 and Retry-After instead of a refused connection. */
  readonly sendRetryAfter?: boolean;
}

const strictTransportSecurity = (directives: readonly string[]): RequestFilter => {
  const headers = { 'strict-transport-security': directives.join('; ') };
  return request => request.addHeaders(headers);
};

const exempt = ['/readyz', '/livez', '/healthz', '/metrics'];

/** Answers requests with 429 and Retry-After while the server shuts down. as apiserver/pkg/server/filters/with_retry_after.go */
const retryAfter =
  (isLeaving: () => boolean): RequestFilter =>
  ({ exchange, info }) => {
    if (!isLeaving() || exempt.some(path => info.path.startsWith(path))) return;
    exchange.leave();
    throw new TextAnswer(429, 'The apiserver is shutting down, please try again later.', { 'retry-after': '5' });
  };

/** Sends a GOAWAY at random: clients would keep one connection for good, and a new one may reach another server. */
// as apiserver/pkg/server/filters/goaway.go
const goaway =
  (chance: number, random: () => number): RequestFilter =>
  ({ exchange }) => {
    if (exchange.protocol === 'HTTP/2.0' && random() < chance) exchange.leave();
  };

const allowedHeaders: ResponseHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/** Runs before authentication, since the preflight requests of browsers have no credentials. as apiserver/pkg/server/filters/cors.go */
function cors(patterns: readonly string[]): RequestFilter {
  const regexps = patterns.map(pattern => goRegexp(pattern)).filter(regexp => 'test' in regexp);
  return request => {
    const origin = request.header('origin') ?? '';
    if (origin === '' || !regexps.some(regexp => regexp.test(origin))) return;
    request.addHeaders({ 'access-control-allow-origin': origin, ...allowedHeaders });
    if (request.exchange.method === 'OPTIONS') answer(request, 204, undefined, undefined);
  };
}

/** Returns the filters that the options enable, and no others. */
export function edgeFilters(
  options: EdgeOptions,
  isLeaving: () => boolean = () => false,
  random: () => number = Math.random,
): readonly RequestFilter[] {
  const { allowedOrigins = [], transportSecurity = [], goawayChance = 0, sendRetryAfter = false } = options;
  return [
    ...(sendRetryAfter ? [retryAfter(isLeaving)] : []),
    ...(transportSecurity.length > 0 ? [strictTransportSecurity(transportSecurity)] : []),
    ...(goawayChance > 0 ? [goaway(goawayChance, random)] : []),
    ...(allowedOrigins.length > 0 ? [cors(allowedOrigins)] : []),
  ];
}
