import t from 'tap';
import { createSchedulingQueue } from '../../scheduler/loop/queue.js';

t.test('higher priority first, then first come', async t => {
  const queue = createSchedulingQueue();
  queue.push('low-1', 0);
  queue.push('high', 10);
  queue.push('low-2', 0);
  queue.push('low-1', 0);
  t.equal(queue.length, 3);
  t.same([await queue.take(), await queue.take(), await queue.take()], ['high', 'low-1', 'low-2']);
  queue.close();
});

t.test('a push of a key that fails wakes it at once, whatever it waits for', async t => {
  const queue = createSchedulingQueue();
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

t.test('a key pushed while a worker has it comes again, with its new priority', async t => {
  const queue = createSchedulingQueue();
  queue.push('a', 0);
  await queue.take();
  queue.push('a', 5);
  queue.push('b', 1);
  queue.done('a', 'no');
  t.same([await queue.take(), await queue.take()], ['a', 'b']);
  queue.close();
});

t.test('a failed key comes back after its backoff', async t => {
  const queue = createSchedulingQueue();
  queue.push('a', 0);
  await queue.take();
  const began = performance.now();
  queue.done('a', 'backoff');
  t.equal(await queue.take(), 'a');
  t.ok(performance.now() - began >= 990, 'a second later');
  queue.close();
});
