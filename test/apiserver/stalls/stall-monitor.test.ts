import fs from 'node:fs';
import t from 'tap';
import { type Stall, StallLog } from '../../../apiserver/stalls/stall-log.js';
import { type AdjustableLogger, silent } from '../../../server/logger.js';
import { configMap, configMaps, must } from '../../e2e/agnhost.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: {
    readonly milliseconds: number;
    readonly cpuMilliseconds?: number;
    readonly requests?: readonly Readonly<Record<string, unknown>>[];
    readonly controllers?: readonly object[];
    readonly repeated?: number;
  };
}

function keptLog(): { log: AdjustableLogger; lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: fields as Line['fields'] });
  return { log: { ...silent, info: at('info'), warn: at('warn') }, lines };
}

/** Blocks this thread for this many milliseconds. */
function compute(milliseconds: number): void {
  const ran = (): number => Number(fs.readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  const end = ran() + milliseconds;
  while (ran() < end);
}

t.test('a stall is counted, and its log line names the request that was being served', async t => {
  const { log, lines } = keptLog();
  // The logger of requests stands for any computation during a request.
  const debug = (fields: object): void => {
    if ((fields as { readonly method?: unknown }).method === 'POST') compute(400);
  };
  const server = await runningServer(t, { log: { ...log, debug }, logRequests: true });
  const ask = httpClient(t, server);
  /** Creates an object. Returns the line on that request, if the stall is logged with it, and the id of the request. */
  const stalledBy = async (name: string): Promise<{ line: Line | undefined; auditId: unknown }> => {
    const { headers } = await must(ask(`POST ${configMaps}`, configMap(name)));
    const auditId = headers['audit-id'];
    const isStall = ({ fields: { requests = [] } }: Line): boolean =>
      requests.some(request => request['auditId'] === auditId);
    // The line is written by the next check of the monitor, 20 ms later; each request is another turn of the loop.
    for (let i = 0; i < 1000 && !lines.some(isStall); i++) await ask('GET /version');
    return { line: lines.find(isStall), auditId };
  };
  let { line, auditId } = await stalledBy('x');
  // On a busy machine a garbage collection, or a check of the monitor, may fall between the request and its computation.
  for (let i = 0; i < 5 && (!line || line.message.endsWith('a collection of garbage')); i++)
    ({ line, auditId } = await stalledBy(`x-${i}`));
  t.equal(line?.level, 'warn');
  t.match(line?.message, /^the event loop was blocked by computing/);
  t.ok((line?.fields.milliseconds ?? 0) >= 350, 'its duration');
  t.ok((line?.fields.cpuMilliseconds ?? 0) >= 350, 'the time of the thread on a CPU');
  t.match(
    line?.fields.requests?.find(request => request['auditId'] === auditId),
    { verb: 'create', path: configMaps, user: 'system:admin', bodyBytes: Number },
    'the request, by its audit id',
  );
  const metrics = await server.metrics.metrics();
  const count = /^flagship_event_loop_stall_seconds_count\{cause="self"\} (\d+)$/m.exec(metrics)?.[1];
  t.ok(Number(count) >= 1, 'it is counted in the metric');
  const buckets = [...metrics.matchAll(/^flagship_event_loop_stall_seconds_bucket\{cause="self",le="([^"]+)"\}/gm)];
  t.strictSame(
    buckets.map(([, bound]) => bound),
    ['0.02', '0.05', '0.1', '0.2', '0.5', '1', '2', '5', '10', '+Inf'],
  );
});

const stall: Stall = { late: 500, ran: 490, waited: 5, collecting: 0, isKnown: true, steps: [] };

t.test('a line names what took the time', async t => {
  for (const [given, level, message] of [
    [{}, 'warn', /computing/],
    [{ ran: 5, waited: 490 }, 'info', /the machine is busy/],
    [{ ran: 210, waited: 290 }, 'warn', /computing/],
    [{ collecting: 400 }, 'info', /garbage/],
    [{ ran: 15, waited: 480, collecting: 450 }, 'info', /the machine is busy/],
    [{ ran: 220, waited: 270, collecting: 450 }, 'info', /garbage/],
    [{ ran: 20, waited: 30, collecting: 480 }, 'info', /garbage/],
    [{ ran: 5, waited: 5 }, 'info', /suspended/],
    [{ ran: 0, waited: 0, isKnown: false }, 'warn', /computing/],
  ] as const) {
    const { log, lines } = keptLog();
    new StallLog(log, () => 0).log({ ...stall, ...given });
    t.match(lines, [{ level, message, fields: { milliseconds: 500 } }]);
  }
});

t.test('it names at most three steps that made progress, the longest first', async t => {
  const { log, lines } = keptLog();
  const works = Array.from({ length: 6 }, (_, i) => ({ controller: `c${i}`, key: 'k' }));
  const steps = [0, 2, 4].map(i => ({ milliseconds: 300 - i, before: works[i], after: works[i + 1] }));
  new StallLog(log, () => 0).log({ ...stall, steps });
  t.strictSame(lines[0]?.fields.controllers, works.slice(0, 3));
});

t.test('a repeated cause within a minute is only counted', async t => {
  const { log, lines } = keptLog();
  let now = 0;
  const stalls = new StallLog(log, () => now);
  const of = (controller: string): Stall => ({
    ...stall,
    steps: [{ milliseconds: 400, before: { controller, key: 'k' }, after: undefined }],
  });
  for (let i = 0; i < 5; i++) stalls.log(of('a'));
  stalls.log(of('b'));
  t.equal(lines.length, 2, 'one line for each cause');
  now = 60_000;
  stalls.log(of('a'));
  t.equal(lines.length, 3);
  t.equal(lines[2]?.fields.repeated, 4);
});

t.test('the number of remembered causes is bounded, and so is the length of a line', async t => {
  const { log, lines } = keptLog();
  const stalls = new StallLog(log, () => 0);
  for (let i = 0; i < 1000; i++)
    stalls.log({
      ...stall,
      steps: [{ milliseconds: 400, before: { controller: `c${i}`, key: 'k' }, after: undefined }],
    });
  t.equal(lines.length, 1000);
  stalls.log(stall);
  t.equal(lines.length, 1001);
});
