/** The settings of an administrator for controllers. */
import t from 'tap';
import { createControllerContext } from '../../../client/runtime/context.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { until } from '../../storage/until.js';

t.test('the limits of retries and the numbers of workers', async t => {
  const { client } = await serveCustomResources(t);
  const stopping = new AbortController();
  const rateLimits = { baseMs: 1, maxMs: 1, perSecond: 100_000, burst: 100_000 };
  const context = createControllerContext({
    ...{ client, clock: systemClock, log: silent, signal: stopping.signal },
    tuning: { workers: { tuned: 3 }, rateLimits },
  });
  const attempts = new Map<string, number>();
  let running = 0;
  let most = 0;
  context.run({
    name: 'tuned',
    workers: 16,
    wire: queue => Array.from({ length: 10 }, (_, i) => queue.add(`key${i}`)),
    reconcile: async key => {
      attempts.set(key, (attempts.get(key) ?? 0) + 1);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      throw new Error('as expected');
    },
  });
  // With the default limits, the thirtieth attempt would come after more than a day.
  await until('30 attempts of every key', () => [...attempts.values()].filter(count => count >= 30).length === 10);
  t.equal(most, 3);
  stopping.abort();
  await context.finished();
});

t.test('objects of first lists come after changes, if they are deferred', async t => {
  const { client } = await serveCustomResources(t);
  const order = async (defersFirstLists: boolean): Promise<readonly string[]> => {
    const stopping = new AbortController();
    const context = createControllerContext({
      ...{ client, clock: systemClock, log: silent, signal: stopping.signal },
      tuning: { defersFirstLists },
    });
    const seen: string[] = [];
    let start = (): void => undefined;
    context.run({
      ...{ name: 'ordered', workers: 1, synced: [new Promise<void>(resolve => (start = resolve))] },
      wire: queue => {
        for (const key of ['first', 'second']) queue.add(key);
        start();
        // The workers start now, and wait for a turn before they take a second key.
        queueMicrotask(() => queue.add('early'));
        setImmediate(() => queue.add('changed'));
      },
      reconcile: async key => {
        seen.push(key);
        await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
      },
    });
    await until('all keys', () => seen.length === 4);
    stopping.abort();
    await context.finished();
    return seen;
  };
  t.same(await order(false), ['first', 'second', 'early', 'changed']);
  t.same(await order(true), ['first', 'changed', 'second', 'early']);
});
