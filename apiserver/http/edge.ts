/** Tells browsers and load balancers what the server is configured to tell them: CORS, HSTS, GOAWAY, Retry-After. */
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import type { ResponseHeaders } from '../interface.js';
import { answer, TextAnswer } from './answer.js';
import type { Filter } from './filters.js';

export interface EdgeOptions {
  /** Regular expressions; pages of origins that one of them finds may call the API. */
  readonly allowedOrigins?: readonly string[];
  /** Directives of Strict-Transport-Security: `max-age=31536000`, `includeSubDomains`. */
  readonly transportSecurity?: readonly string[];
  /** The part of HTTP/2 requests after which the client is sent to a new connection: 0 to 0.02. */
  readonly goawayChance?: number;
  /** While the server ends, whoever comes is told to come again elsewhere, in place of finding nobody. */
  readonly sendRetryAfter?: boolean;
}

const security = (directives: readonly string[]): Filter => {
  const headers = { 'strict-transport-security': directives.join('; ') };
  return request => request.addHeaders(headers);
};

const exempt = ['/readyz', '/livez', '/healthz', '/metrics'];

/** Sends clients away while the server shuts down. as apiserver/pkg/server/filters/with_retry_after.go */
const comeAgain =
  (isLeaving: () => boolean): Filter =>
  ({ exchange, info }) => {
    if (!isLeaving() || exempt.some(path => info.path.startsWith(path))) return;
    exchange.leave();
    throw new TextAnswer(429, 'The apiserver is shutting down, please try again later.', { 'retry-after': '5' });
  };

/** Clients keep one connection for good: now and then they are to find out whether there are other servers. */
// as apiserver/pkg/server/filters/goaway.go
const goaway =
  (chance: number, random: () => number): Filter =>
  ({ exchange }) => {
    if (exchange.protocol === 'HTTP/2.0' && random() < chance) exchange.leave();
  };

const allowed: ResponseHeaders = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/** Before authentication: what a browser asks first, it asks without credentials. as apiserver/pkg/server/filters/cors.go */
function cors(patterns: readonly string[]): Filter {
  const regexps = patterns.map(pattern => goRegexp(pattern)).filter(regexp => 'test' in regexp);
  return request => {
    const origin = request.header('origin') ?? '';
    if (origin === '' || !regexps.some(regexp => regexp.test(origin))) return;
    request.addHeaders({ 'access-control-allow-origin': origin, ...allowed });
    if (request.exchange.method === 'OPTIONS') answer(request, 204, undefined, undefined);
  };
}

/** For those that are not asked for there is no step. */
export function edgeFilters(
  options: EdgeOptions,
  isLeaving: () => boolean = () => false,
  random: () => number = Math.random,
): readonly Filter[] {
  const { allowedOrigins = [], transportSecurity = [], goawayChance = 0, sendRetryAfter = false } = options;
  return [
    ...(sendRetryAfter ? [comeAgain(isLeaving)] : []),
    ...(transportSecurity.length > 0 ? [security(transportSecurity)] : []),
    ...(goawayChance > 0 ? [goaway(goawayChance, random)] : []),
    ...(allowedOrigins.length > 0 ? [cors(allowedOrigins)] : []),
  ];
}
