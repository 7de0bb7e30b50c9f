import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { NotYet } from '../../../client/runtime/controller.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { OffloadError } from '../../../lib/offload/error.js';
import { ThreadPool } from '../../../lib/offload/thread-pool.js';
import type { LuaCall, LuaOutcome, LuaResult, LuaRunner } from './interface.js';
import { luaCallText, luaTaskName, readLuaOutcome, writeLuaInput } from './task-messages.js';

interface ScriptQueue {
  readonly pool: ThreadPool;
  /** Milliseconds that a script may run. */
  readonly ms: number;
}

interface QueueOptions {
  readonly threads: number;
  /** Milliseconds that a script may run. */
  readonly ms: number;
  /**
   * Milliseconds after its limit at which a thread is ended that does not end a script by itself: in one call of a function of C, such as
   * `string.find` with a pattern that backtracks. It includes the start of a thread.
   */
  readonly graceMs: number;
}

/**
 * Ordinary scripts take less than a millisecond. The grace is short, since every other script waits meanwhile; a script that loses its thread is run
 * again among the slow ones.
 */
const quickQueue: QueueOptions = { threads: availableParallelism() > 2 ? 2 : 1, ms: 100, graceMs: 400 };

/** The time is that of Karmada's luavm RunScript. */
const slowQueue: QueueOptions = { threads: 1, ms: 1_000, graceMs: 1_000 };

/** Calls that may wait. Those of one object to a thousand clusters come together. */
const maxWaiting = { length: 4_096, lengthPerKey: 1_024, bytes: 64 * 1024 * 1024 };

/** Milliseconds for which a key stays in the slow queue after a script of it was late. */
const slowForMs = 5 * 60_000;

/** Keys that are remembered as slow. */
const maxSlowKeys = 1_000;

const lateMessage = `the script takes longer than ${slowQueue.ms} ms: context deadline exceeded`;

function openQueue({ threads, ms, graceMs }: QueueOptions): ScriptQueue {
  const pool = new ThreadPool({
    entry: new URL(import.meta.resolve('#dist/controllers/interpreter/lua/worker.js')),
    threads,
    memory: 128,
    idle: 60_000,
    limit: ms + graceMs,
    queue: maxWaiting,
  });
  return { pool, ms };
}

/** Returns the error of a call for which a thread gave no outcome. Its message is for the author of the script. */
function callError(cause: OffloadError): ExpectedError {
  switch (cause.reason) {
    case 'full':
      return new NotYet('too many scripts are waiting: again later', slowQueue.ms);
    case 'late':
      return new ExpectedError(lateMessage, { cause });
    case 'memory':
      return new ExpectedError('the script needs too much memory', { cause });
    case 'failed':
    case 'closed':
      return new ExpectedError(`the script could not be run: ${cause.message}`, { cause });
  }
}

/**
 * Runs scripts in threads, off the event loop. A script that takes long is run again in a queue for slow scripts, where its key stays for a while.
 * There keys with slow scripts wait for each other, and a key with too many calls that wait gets NotYet at once. The other keys wait only for calls
 * that were made before their key was known as slow: each takes a thread for at most 500 ms, and the keys take turns. Threads start with the first
 * script, and end when there is none for a minute.
 */
export class ScriptRunner implements LuaRunner {
  readonly #quick = openQueue(quickQueue);
  readonly #slow = openQueue(slowQueue);
  readonly #slowKeys = new LRUCache<string, true>({ max: maxSlowKeys, ttl: slowForMs });

  run(call: LuaCall, key: string): Promise<readonly LuaResult[]> {
    return this.runText(luaCallText(call), key);
  }

  /** Runs a call as `run`. `callText`: the result of `luaCallText`. */
  async runText(callText: string, key: string): Promise<readonly LuaResult[]> {
    const first = this.#slowKeys.has(key) ? this.#slow : this.#quick;
    let outcome = await this.#runIn(first, callText, key);
    if (first === this.#quick && 'failure' in outcome && outcome.failure === 'late') {
      this.#slowKeys.set(key, true);
      outcome = await this.#runIn(this.#slow, callText, key);
    }
    if ('results' in outcome) return outcome.results;
    throw new ExpectedError(outcome.message);
  }

  /** Ends all threads. Calls that wait or run reject. */
  async close(): Promise<void> {
    await Promise.all([this.#quick.pool.close(), this.#slow.pool.close()]);
  }

  async #runIn({ pool, ms }: ScriptQueue, callText: string, key: string): Promise<LuaOutcome> {
    try {
      return readLuaOutcome(await pool.run(luaTaskName, writeLuaInput(callText, ms), { key }));
    } catch (error) {
      if (!(error instanceof OffloadError)) throw error;
      if (error.reason === 'late') return { failure: 'late', message: lateMessage };
      throw callError(error);
    }
  }
}
