/** The worker thread of the tests, with tasks that misbehave. */
import { parentPort } from 'node:worker_threads';
import { serveTasks } from '../../../lib/offload/serve-tasks.js';

const never = new Int32Array(new SharedArrayBuffer(4));

serveTasks(parentPort, {
  reverse: input => input.reverse(),
  slice: input => input.subarray(1, 3),
  fail: () => {
    throw new TypeError('this cannot be done');
  },
  /** Blocks until the thread is terminated. */
  wait: () => {
    Atomics.wait(never, 0, 0);
    return never as never;
  },
  /** Takes some time in which the thread is not on a CPU, as on a busy machine. */
  idle: input => {
    Atomics.wait(never, 0, 0, 1000);
    return input;
  },
  spin: () => {
    for (;;);
  },
  devour: () => {
    const held: unknown[] = [];
    for (;;) held.push({ held: held.length, more: [held.length] });
  },
  exit: () => process.exit(3),
});
