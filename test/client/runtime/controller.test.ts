/** Workers of a controller whose keys are in groups. */
import t, { type Test } from 'tap';
import { GroupFailure, NotSynced, runController } from '../../../client/runtime/controller.js';
import type { ControllerOptions, KeyGrouping, WorkQueue } from '../../../client/runtime/interface.js';
import { tooManyRequests } from '../../../apimachinery/errors/status.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { until } from '../../storage/until.js';

const groups = { of: (key: string) => key.split('/')[0] ?? '', maxWorkers: 2, waitsForRemote: true };

/** Runs a controller with these keys until the end of the test. Returns its queue. */
function start(
  t: Test,
  keys: readonly string[],
  options: Pick<ControllerOptions, 'reconcile' | 'workers'>,
  grouping: Partial<KeyGrouping> = {},
): WorkQueue {
  const stop = new AbortController();
  let made: WorkQueue | undefined;
  const wire = (queue: WorkQueue): void => {
    made = queue;
    for (const key of keys) queue.add(key);
  };
  const running = runController(
    { name: 'test', groups: { ...groups, ...grouping }, wire, ...options },
    { clock: systemClock, log: silent, signal: stop.signal },
  );
  t.teardown(() => {
    stop.abort();
    return running;
  });
  if (!made) throw new Error('the controller was not wired');
  return made;
}

t.test('groups that never end leave the workers to others', async t => {
  const seen: string[] = [];
  let end = (): void => undefined;
  const never = new Promise<void>(resolve => (end = resolve));
  const silentKeys = Array.from({ length: 40 }, (_, i) => `silent-${i % 4}/${i}`);
  start(t, [...silentKeys, 'good/1', 'good/2', 'good/3'], {
    workers: 2,
    reconcile: key => {
      seen.push(key);
      return key.startsWith('good') ? Promise.resolve() : never;
    },
  });
  await until('the good keys are reconciled', () => seen.filter(key => key.startsWith('good')).length === 3, 10_000);
  await until('the silent groups have their workers', () => seen.length === 11, 10_000);
  t.same(seen.filter(key => key.startsWith('silent-0')).length, groups.maxWorkers, 'and no more');
  end();
});

t.test('slow groups have a limited number of workers together', async t => {
  const running = new Set<string>();
  let good = 0;
  let end = (): void => undefined;
  const never = new Promise<void>(resolve => (end = resolve));
  const slow = Array.from({ length: 800 }, (_, i) => `slow-${i % 100}/${i}`);
  const queue = start(
    t,
    slow,
    {
      workers: 100,
      reconcile: key => {
        if (key.startsWith('good')) return Promise.resolve(void good++);
        running.add(key);
        return never;
      },
    },
    { maxWorkers: 8 },
  );
  await until('the groups have further workers', () => running.size >= 200, 10_000);
  for (let i = 0; i < 50; i++) queue.add(`good/${i}`);
  await until('another group is served', () => good === 50);
  t.ok(running.size <= 356, `${running.size} keys are processed: those of the first workers, and 256`);
  end();
});

t.test('keys that wait for no server occupy the workers, however long they take', async t => {
  let running = 0;
  let ended = 0;
  let most = 0;
  const reconcile = async (): Promise<void> => {
    most = Math.max(most, ++running);
    const endsAt = performance.now() + 700;
    await until('it has taken long', () => performance.now() > endsAt);
    running--;
    ended++;
  };
  const keys = Array.from({ length: 6 }, (_, i) => `group-${i}/1`);
  start(t, keys, { workers: 2, reconcile }, { waitsForRemote: false });
  await until('all keys are reconciled', () => ended === keys.length, 10_000);
  t.equal(most, 2);
});

t.test('a key is not slow because this process was busy', async t => {
  const seen: string[] = [];
  start(t, ['a/1', 'b/1'], {
    workers: 1,
    reconcile: async key => {
      seen.push(key);
      if (key !== 'a/1') return;
      const busyUntil = performance.now() + 700;
      while (performance.now() < busyUntil);
      await until('it has waited for a moment', () => performance.now() > busyUntil + 100);
      seen.push('a/1 has ended');
    },
  });
  await until('both keys are reconciled', () => seen.length === 3);
  t.same(seen, ['a/1', 'a/1 has ended', 'b/1']);
});

t.test('a key waits for a first list without a worker', async t => {
  let arrive = (): void => undefined;
  const synced = new Promise<void>(resolve => (arrive = resolve));
  const seen: string[] = [];
  let hasArrived = false;
  start(t, ['a/1', 'b/1'], {
    workers: 1,
    reconcile: key => {
      seen.push(key);
      if (key === 'a/1' && !hasArrived) throw new NotSynced('the list is missing', synced);
      return Promise.resolve();
    },
  });
  await until('the other key is reconciled', () => seen.length === 2);
  hasArrived = true;
  arrive();
  // After 30 seconds it would be reconciled in any case.
  await until('the key is reconciled', () => seen.length === 3, 20_000);
  t.same(seen, ['a/1', 'b/1', 'a/1']);
});

t.test('a key that waits for several things is reconciled when the first one is there', async t => {
  const missing = new Map<string, Promise<void>>();
  const arrive = new Map<string, () => void>();
  for (const each of ['list', 'answer']) missing.set(each, new Promise<void>(resolve => arrive.set(each, resolve)));
  let tries = 0;
  start(t, ['a/1'], {
    reconcile: () => {
      tries++;
      const [first, ...others] = missing.values();
      if (first) throw new NotSynced('something is missing', first, undefined, others);
      return Promise.resolve();
    },
  });
  for (const [i, each] of ['answer', 'list'].entries()) {
    await until('the key waits', () => tries === i + 1);
    missing.delete(each);
    arrive.get(each)?.();
  }
  await until('nothing is missing', () => tries === 3);
});

t.test('many keys that have waited for one thing do not hold the event loop', async t => {
  const count = 20;
  let arrive = (): void => undefined;
  const synced = new Promise<void>(resolve => (arrive = resolve));
  let waiting = 0;
  let turns = 0;
  let isOver = false;
  const turnsOfKeys = new Set<number>();
  const stop = new AbortController();
  const running = runController(
    {
      name: 'test',
      wire: queue => {
        for (let i = 0; i < count; i++) queue.add(`${i}`);
      },
      reconcile: () => {
        waiting++;
        throw new NotSynced('the list is missing', synced);
      },
    },
    { clock: systemClock, log: silent, signal: stop.signal },
    queue => {
      // Each key takes as long as thousands in production.
      queue.addNow = () => {
        turnsOfKeys.add(turns);
        const busyUntil = performance.now() + 2;
        while (performance.now() < busyUntil);
        isOver = --waiting === 0;
      };
    },
  );
  await until('all keys wait', () => waiting === count);
  const nextTurn = (): void => {
    turns++;
    if (!isOver) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  arrive();
  await until('all keys are added', () => isOver);
  t.ok(turnsOfKeys.size > 1);
  stop.abort();
  await running;
});

t.test('the failure of a group stops its other keys until it is resumed', async t => {
  const seen: string[] = [];
  let isBack = false;
  const queue = start(t, ['a/1', 'a/2', 'a/3', 'b/1'], {
    workers: 1,
    reconcile: key => {
      seen.push(key);
      if (key.startsWith('a') && !isBack)
        throw new GroupFailure('unreachable', { isReportedElsewhere: true, retryAfterMs: 3_600_000 });
      return Promise.resolve();
    },
  });
  await until('the other group is reconciled', () => seen.includes('b/1'));
  isBack = true;
  queue.add('b/2');
  await until('the other group is reconciled again', () => seen.includes('b/2'));
  t.same(seen, ['a/1', 'b/1', 'b/2']);
  queue.resume('a');
  await until('all keys are reconciled', () => ['a/1', 'a/2', 'a/3'].every(key => seen.lastIndexOf(key) > 2));
});

t.test('the wait that a server asks for is longer than the backoff', async t => {
  let tries = 0;
  const began = performance.now();
  start(t, ['a/1'], {
    reconcile: () => {
      if (++tries === 1) throw tooManyRequests('busy', 1);
      return Promise.resolve();
    },
  });
  await until('the key is tried again', () => tries === 2);
  t.ok(performance.now() - began >= 990);
});

t.test('the failures of a key count until the last part of a reconciliation is done', async t => {
  const lines: string[] = [];
  const forgotten: string[] = [];
  const line = (_: object, message: string): void => void lines.push(message);
  const log = { ...silent, info: line, warn: line, error: line };
  const outcomes = ['part', 'failure', 'part', 'failure', 'part', 'end'];
  const stop = new AbortController();
  const running = runController(
    {
      name: 'test',
      wire: queue => {
        const forget = queue.forget.bind(queue);
        queue.forget = key => {
          forgotten.push(key);
          forget(key);
        };
        queue.add('a');
      },
      reconcile: () => {
        const outcome = outcomes.shift();
        if (outcome === 'failure') throw new Error('a part has failed');
        return Promise.resolve(outcome === 'part' ? { againAfter: 0, isPartial: true } : undefined);
      },
    },
    { clock: systemClock, log, signal: stop.signal },
  );
  await until('the last part is done', () => forgotten.length > 0 && outcomes.length === 0);
  stop.abort();
  await running;
  t.same(forgotten, ['a']);
  t.same(lines, ['an object cannot be reconciled; it is tried again', 'an object can be reconciled again']);
});
