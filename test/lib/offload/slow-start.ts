/** A worker thread that needs long to start, as on a busy machine. */
import { parentPort } from 'node:worker_threads';
import { serveTasks } from '../../../lib/offload/serve-tasks.js';

const startMs = 1500;
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startMs);

serveTasks(parentPort, { reverse: input => input.reverse() });
