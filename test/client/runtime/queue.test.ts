import t from 'tap';
import type { Key } from '../../../client/runtime/interface.js';
import { KeyQueue } from '../../../client/runtime/queue.js';

const limits = { baseMs: 1, maxMs: 1000, perSecond: 1000, burst: 100 };

t.test('a key is returned once, however often it was added', async t => {
  const queue = new KeyQueue(limits);
  queue.add('a');
  queue.add('b');
  queue.add('a');
  t.equal(queue.length, 2);
  t.equal(await queue.take(), 'a');
  t.equal(await queue.take(), 'b');
  t.equal(queue.length, 0);
  queue.close();
});

t.test('a key that is added while a worker has it comes back when the worker is done', async t => {
  const queue = new KeyQueue(limits);
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('a');
  t.equal(queue.length, 0);
  queue.done('a');
  t.equal(queue.length, 1);
  t.equal(await queue.take(), 'a');
  queue.done('a');
  t.equal(queue.length, 0);
  queue.close();
});

t.test('a waiting worker gets the next key', async t => {
  const queue = new KeyQueue(limits);
  const taken = queue.take();
  queue.add('late');
  t.equal(await taken, 'late');
  queue.close();
});

/**
 * Adds a key and takes it. Returns which of two timers, one a little before and one a little after the expected time, have fired by then.
 * Timers fire in the order of their times, however late they are, so that the result does not depend on the load of the machine.
 */
async function timersFired(queue: KeyQueue, expect: number, add: () => void): Promise<readonly string[]> {
  const times: string[] = [];
  setTimeout(() => times.push('before'), expect - 1);
  add();
  setTimeout(() => times.push('after'), expect + 1);
  await queue.take();
  return [...times];
}

t.test('a delayed key comes at the earliest of its times', async t => {
  const queue = new KeyQueue(limits);
  queue.addAfter('a', 3_600_000);
  t.same(await timersFired(queue, 20, () => queue.addAfter('a', 20)), ['before']);
  queue.close();
});

t.test('a key that is added now is not added again after its delay', async t => {
  const queue = new KeyQueue();
  queue.addAfter('a', 20);
  queue.addNow('a');
  t.equal(await queue.take(), 'a');
  queue.done('a');
  queue.addAfter('b', 60);
  t.equal(await queue.take(), 'b');
  queue.close();
});

t.test('failures double the delay of a key, and forget resets it', async t => {
  let now = 0;
  const queue = new KeyQueue({ baseMs: 8, maxMs: 20, perSecond: 1e6, burst: 100 }, () => now);
  for (const { expect, forget } of [
    { expect: 8 },
    { expect: 16 },
    { expect: 20 },
    { expect: 20 },
    { expect: 8, forget: true },
    { expect: 16 },
  ]) {
    if (forget) queue.forget('a');
    t.same(await timersFired(queue, expect, () => queue.addRateLimited('a')), ['before'], `after ${expect} ms`);
    queue.done('a');
    now += 1000;
  }
  queue.close();
});

t.test('many failing keys are limited to the common rate', async t => {
  const queue = new KeyQueue({ baseMs: 0, maxMs: 1, perSecond: 100, burst: 2 });
  const began = performance.now();
  for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key);
  for (let i = 0; i < 4; i++) await queue.take();
  t.ok(performance.now() - began >= 15, 'two beyond the burst wait 10 ms each');
  queue.close();
});

t.test('a maximum delay holds in spite of the backoff and the common rate', async t => {
  const queue = new KeyQueue(
    { baseMs: 3_600_000, maxMs: 3_600_000, perSecond: 0.001, burst: 1, maxDelayMs: 20 },
    () => 0,
  );
  for (const key of ['a', 'b']) {
    t.same(await timersFired(queue, 20, () => queue.addRateLimited(key)), ['before'], key);
    queue.done(key);
  }
  queue.close();
});

t.test('close ends the waiting workers', async t => {
  const queue = new KeyQueue(limits);
  const taken = queue.take();
  queue.addAfter('never', 60_000);
  queue.close();
  t.equal(await taken, undefined);
  t.equal(await queue.take(), undefined);
});

t.test('keys with low priority follow the others, and one of eight is one of them', async t => {
  const queue = new KeyQueue(limits);
  for (const key of ['low-1', 'low-2', 'raised']) queue.addLow(key);
  for (let i = 1; i <= 8; i++) queue.add(`usual-${i}`);
  queue.add('raised');
  queue.addLow('usual-1');
  t.equal(queue.length, 11);
  const taken: (string | undefined)[] = [];
  for (let i = 0; i < 11; i++) taken.push(await queue.take());
  const usual = Array.from({ length: 8 }, (_, i) => `usual-${i + 1}`);
  t.same(taken, [...usual.slice(0, 7), 'low-1', usual[7], 'raised', 'low-2']);
  queue.close();
});

t.test('a key that is added while a worker has it keeps the higher priority', async t => {
  const queue = new KeyQueue(limits);
  for (const key of ['a', 'b']) queue.add(key);
  for (const key of ['a', 'b']) {
    t.equal(await queue.take(), key);
    queue.addLow(key);
  }
  queue.add('b');
  for (const key of ['a', 'b']) queue.done(key);
  t.same([await queue.take(), await queue.take()], ['b', 'a']);
  queue.close();
});

t.test('a waiting worker gets a key with low priority', async t => {
  const queue = new KeyQueue(limits);
  const taken = queue.take();
  queue.addLow('late');
  t.equal(await taken, 'late');
  queue.close();
});

t.test('a key that waits counts once, whatever its priority', async t => {
  const added: Key[] = [];
  const series = {
    added: (key: Key) => void added.push(key),
    ...{ taken: () => undefined, done: () => undefined, retried: () => undefined },
  };
  const queue = new KeyQueue(limits, Date.now, () => series);
  queue.addLow('a');
  queue.addLow('a');
  queue.add('a');
  queue.addLow('a');
  t.same(added.splice(0), ['a'], 'while it is ready');
  t.equal(await queue.take(), 'a');
  queue.addLow('a');
  queue.addLow('a');
  queue.add('a');
  queue.addLow('a');
  t.same(added.splice(0), ['a'], 'while a worker has it');
  queue.done('a');
  t.equal(await queue.take(), 'a');
  t.equal(queue.length, 0);
  queue.close();
});
