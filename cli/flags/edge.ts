/** Reads the settings for browsers and load balancers, and the access to profiles, from kube-apiserver's flags. */
import type { EdgeOptions } from '../../apiserver/http/edge.js';
import { goRegexp } from '../../lib/regexp/go-regexp.js';
import { type FlagTable, type FlagValues, invalidFlag, type UsageError } from './flags.js';

export const edgeFlags = {
  'cors-allowed-origins': {
    type: 'list',
    value: 'REGEXP,...',
    help: 'Origins of pages that may call the API: regular expressions that match the whole host',
  },
  'strict-transport-security-directives': {
    type: 'list',
    value: 'LIST',
    help: 'Directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload',
  },
  'goaway-chance': {
    type: 'string',
    value: 'FRACTION',
    default: '0',
    help: 'Fraction of HTTP/2 requests after which the client has to reconnect, up to 0.02; for several servers behind a load balancer',
  },
  'shutdown-send-retry-after': {
    type: 'boolean',
    help: 'During a shutdown, answer new requests with 429 and Retry-After until all earlier ones are answered',
  },
  profiling: { type: 'boolean', default: true, help: 'Serve /debug/pprof/ and /debug/flags/ to authorized users' },
} as const satisfies FlagTable;

const maxGoaway = 0.02;

/** Checks that a pattern fixes the beginning and the end of the host; otherwise it would match other hosts, too. */
// as apiserver/pkg/server/options/server_run_options.go validateCorsAllowedOriginList
function checkOrigin(pattern: string): void {
  const wrong = (why: string): UsageError => invalidFlag('cors-allowed-origins', pattern, why);
  const regexp = goRegexp(pattern);
  if ('error' in regexp) throw wrong(regexp.error);
  if (!/\^|\/\//.test(pattern) || !/[$:]/.test(pattern))
    throw wrong('want an expression with the start and the end of the host, like ^https://example\\.com(:|$)');
}

function checkDirective(directive: string): void {
  if (/^(?:max-age=[^=]*|includeSubDomains|preload)$/.test(directive)) return;
  throw invalidFlag(
    'strict-transport-security-directives',
    directive,
    'want max-age=SECONDS, includeSubDomains or preload',
  );
}

/** Throws UsageError. */
export function parseEdge(values: FlagValues<typeof edgeFlags>): EdgeOptions {
  const allowedOrigins = values['cors-allowed-origins'];
  const transportSecurity = values['strict-transport-security-directives'];
  allowedOrigins.forEach(checkOrigin);
  transportSecurity.forEach(checkDirective);
  const text = values['goaway-chance'];
  const goawayChance = Number(text);
  if (text.trim() === '' || !(goawayChance >= 0 && goawayChance <= maxGoaway))
    throw invalidFlag('goaway-chance', text, `want a number from 0 to ${maxGoaway}`);
  return { allowedOrigins, transportSecurity, goawayChance, sendRetryAfter: values['shutdown-send-retry-after'] };
}
