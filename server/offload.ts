import { availableParallelism } from 'node:os';
import { ThreadPool } from '../lib/offload/thread-pool.js';

const mebibyte = 1024 * 1024;

/** Opens the thread pool of a server, which starts its first thread with the first task. */
export function openOffload(): ThreadPool {
  return new ThreadPool({
    entry: new URL(import.meta.resolve('#dist/server/offload-worker.js')),
    threads: availableParallelism() > 2 ? 2 : 1,
    memory: 384,
    idle: 10_000,
    limit: 10_000,
    queue: { length: 64, lengthPerKey: 16, bytes: 64 * mebibyte },
  });
}
