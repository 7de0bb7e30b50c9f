/** Serves /healthz, /livez and /readyz. */
import { goQuote } from '../../lib/go/go-text.js';
import { answerText, pageNotFound } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';
import type { Request } from '../http/request.js';
import type { HealthCheck } from '../interface.js';
import type { HealthSlis } from '../metrics/health-slis.js';

type Endpoint = HealthCheck['endpoints'][number];

interface Outcome {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

type Observe = HealthSlis['observe'];

async function outcome(check: HealthCheck, endpoint: Endpoint, observe: Observe): Promise<Error | undefined> {
  try {
    await check.check();
    observe(check.name, endpoint, true);
    return undefined;
  } catch (error) {
    observe(check.name, endpoint, false);
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function runAll(
  endpoint: Endpoint,
  checks: readonly HealthCheck[],
  excluded: ReadonlySet<string>,
  observe: Observe,
): Promise<Outcome> {
  const unknown = new Set(excluded);
  let failed = false;
  const lines = await Promise.all(
    checks.map(async check => {
      if (unknown.delete(check.name)) return `[+]${check.name} excluded: ok`;
      const failure = await outcome(check, endpoint, observe);
      if (!failure) return `[+]${check.name} ok`;
      failed = true;
      return `[-]${check.name} failed: reason withheld`; // The endpoint is public.
    }),
  );
  if (unknown.size > 0) {
    const names = [...unknown].sort().map(goQuote).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  return { lines, failed };
}

/** as apiserver/pkg/server/healthz/healthz.go handleRootHealth */
async function serveAll(
  request: Request,
  endpoint: Endpoint,
  checks: readonly HealthCheck[],
  observe: Observe,
): Promise<void> {
  const { lines, failed } = await runAll(endpoint, checks, new Set(request.query.all('exclude')), observe);
  if (failed) return answerText(request, 500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  const verbose = request.query.get('verbose') !== undefined;
  answerText(request, 200, verbose ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok');
}

async function serveOne(request: Request, endpoint: Endpoint, check: HealthCheck, observe: Observe): Promise<void> {
  const failure = await outcome(check, endpoint, observe);
  if (failure) return answerText(request, 500, `internal server error: ${failure.message}\n`);
  answerText(request, 200, 'ok');
}

/** `checks` is read at each request, since parts of the server add checks while it starts. */
export function healthEndpoints(
  endpoint: Endpoint,
  checks: readonly HealthCheck[],
  observe: Observe = () => undefined,
): RequestFilter {
  const root = `/${endpoint}`;
  return request => {
    const endpointChecks = checks.filter(check => check.endpoints.includes(endpoint));
    const { path } = request.info;
    if (path === root || path === `${root}/`) return serveAll(request, endpoint, endpointChecks, observe);
    const check = endpointChecks.find(({ name }) => path === `${root}/${name}`);
    if (!check) throw pageNotFound();
    return serveOne(request, endpoint, check, observe);
  };
}
