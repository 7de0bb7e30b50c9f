import t from 'tap';
import { type SchedulingQueue, createSchedulingQueue } from '../../scheduler/loop/queue.js';
import { type SteppedClock, steppedClock } from '../lib/clock.js';

/** Returns the milliseconds until the queue returns a key, in steps of half a second. */
async function comesAfter(clock: SteppedClock, queue: SchedulingQueue): Promise<number> {
  const began = clock.now();
  let came = false;
  const taken = queue.take().then(() => (came = true));
  for (;;) {
    // Woken waiters run before this.
    await new Promise(resolve => setImmediate(resolve));
    if (came) break;
    clock.advance(500);
  }
  await taken;
  return clock.now() - began;
}

t.test('keys are taken by priority, then in order of arrival', async t => {
  const queue = createSchedulingQueue(steppedClock());
  queue.push('low-1', 0);
  queue.push('high', 10);
  queue.push('low-2', 0);
  queue.push('low-1', 0);
  t.equal(queue.length, 3);
  t.same([await queue.take(), await queue.take(), await queue.take()], ['high', 'low-1', 'low-2']);
  queue.close();
});

t.test('a push of a failed key wakes it at once, whatever its backoff', async t => {
  const queue = createSchedulingQueue(steppedClock());
  queue.push('a', 0);
  await queue.take();
  queue.done('a', 'unschedulable');
  t.equal(queue.length, 0);
  queue.push('a', 0);
  t.equal(await queue.take(), 'a');
  queue.done('a', 'no');
  t.equal(queue.length, 0);
  queue.close();
});

t.test('a key pushed while a worker processes it is queued again with its new priority', async t => {
  const queue = createSchedulingQueue(steppedClock());
  queue.push('a', 0);
  await queue.take();
  queue.push('a', 5);
  queue.push('b', 1);
  queue.done('a', 'no');
  t.same([await queue.take(), await queue.take()], ['a', 'b']);
  queue.close();
});

t.test('a failed key is queued again after its backoff, and not before', async t => {
  const clock = steppedClock();
  const queue = createSchedulingQueue(clock);
  queue.push('a', 0);
  await queue.take();
  for (const wait of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
    queue.done('a', 'backoff');
    t.equal(await comesAfter(clock, queue), wait);
  }
  queue.done('a', 'unschedulable');
  t.equal(await comesAfter(clock, queue), 300_000);
  queue.close();
});

t.test('no timer is left after the queue is closed or the waiting key is pushed', async t => {
  const clock = steppedClock();
  const queue = createSchedulingQueue(clock);
  for (const key of ['a', 'b']) {
    queue.push(key, 0);
    await queue.take();
    queue.done(key, 'backoff');
  }
  t.equal(clock.sleeping, 2);
  queue.push('a', 0);
  t.equal(clock.sleeping, 1);
  queue.close();
  t.equal(clock.sleeping, 0);
  t.equal(await queue.take(), undefined);
});

t.test(
  'with a common rate, all failures of a key are retried alike, with a delay that doubles until it succeeds',
  async t => {
    const clock = steppedClock();
    const limits = { baseMs: 1000, maxMs: 4000, perSecond: 100, burst: 100 };
    const queue = createSchedulingQueue(clock, limits);
    queue.push('a', 0);
    await queue.take();
    const delays: number[] = [];
    for (const again of ['unschedulable', 'backoff', 'unschedulable', 'backoff'] as const) {
      queue.done('a', again);
      delays.push(await comesAfter(clock, queue));
    }
    t.same(delays, [1000, 2000, 4000, 4000]);
    queue.done('a', 'no');
    queue.push('a', 0);
    await queue.take();
    queue.done('a', 'backoff');
    t.equal(await comesAfter(clock, queue), 1000);
    queue.close();
  },
);

t.test('the retries of all keys share a rate', async t => {
  const clock = steppedClock();
  const queue = createSchedulingQueue(clock, { baseMs: 1, maxMs: 1, perSecond: 1, burst: 1 });
  for (const key of ['a', 'b', 'c']) queue.push(key, 0);
  for (const key of ['a', 'b', 'c']) {
    await queue.take();
    queue.done(key, 'backoff');
  }
  const delays: number[] = [];
  for (let i = 0; i < 3; i++) delays.push(await comesAfter(clock, queue));
  t.same(delays, [500, 500, 1000]);
  queue.close();
});

t.test('waiting keys are counted by the reason', async t => {
  const queue = createSchedulingQueue(steppedClock());
  for (const key of ['a', 'b', 'c', 'd']) queue.push(key, 0);
  for (const again of ['backoff', 'unschedulable', 'unschedulable'] as const)
    queue.done((await queue.take()) ?? '', again);
  t.same(queue.pending(), { active: 1, backoff: 1, unschedulable: 2 });
  queue.close();
});
