/** Parts that the start of a server does not wait for. */
import t from 'tap';
import { startedWhenReady } from '../../cli/parts/started-when-ready.js';
import type { Part, RunningPart } from '../../server/parts.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

interface Attempt {
  readonly signal: AbortSignal;
  readonly end: (running: RunningPart) => void;
  readonly fail: (error: Error) => void;
}

/** A part whose attempts to start the test ends. */
function pendingPart(): { readonly part: Part; readonly attempts: readonly Attempt[] } {
  const attempts: Attempt[] = [];
  const start: Part['start'] = ({ signal }) => new Promise((end, fail) => attempts.push({ signal, end, fail }));
  return { part: { name: 'pending', start }, attempts };
}

t.test('the server is ready before the part has started, and stops after it', async t => {
  const { part, attempts } = pendingPart();
  const order: string[] = [];
  const earlier: Part = {
    name: 'earlier',
    start: () => {
      order.push(`${attempts.length} attempts`);
      return Promise.resolve({ stop: () => Promise.resolve(void order.push('earlier')) });
    },
  };
  const server = await runningServer(t, { parts: [startedWhenReady(part), earlier] });
  await until('the part starts', () => attempts.length === 1);
  t.same(order, ['0 attempts'], 'it starts after all others');
  const stopping = server.stop();
  await until('its signal aborts', () => attempts[0]?.signal.aborted === true);
  attempts[0]?.end({ stop: () => Promise.resolve(void order.push('part')) });
  await stopping;
  t.same(order, ['0 attempts', 'earlier', 'part']);
});

t.test('a part that fails is tried again, without what had started of it', async t => {
  const { part, attempts } = pendingPart();
  const server = await runningServer(t, { parts: [startedWhenReady(part, 1)] });
  await until('the part starts', () => attempts.length === 1);
  attempts[0]?.fail(new Error('not now'));
  await until('it starts again', () => attempts.length === 2);
  t.equal(attempts[0]?.signal.aborted, true);
  t.equal(attempts[1]?.signal.aborted, false);
  const stopping = server.stop();
  attempts[1]?.fail(new Error('it stops'));
  await stopping;
  t.equal(attempts.length, 2);
});

t.test('a part does not start in a server that cannot start', async t => {
  const { part, attempts } = pendingPart();
  const broken: Part = { name: 'broken', start: () => Promise.reject(new Error('broken')) };
  await t.rejects(runningServer(t, { parts: [startedWhenReady(part), broken] }), /broken/);
  t.equal(attempts.length, 0);
});
