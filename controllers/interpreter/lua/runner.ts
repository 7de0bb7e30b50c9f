import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { OffloadError } from '../../../lib/offload/error.js';
import { ThreadPool } from '../../../lib/offload/thread-pool.js';
import type { LuaCall, LuaOutcome, LuaResult, LuaRunner } from './interface.js';
import { luaTaskName, readLuaOutcome, writeLuaInput } from './task-messages.js';

interface Lane {
  readonly pool: ThreadPool;
  /** Milliseconds that a script may run. */
  readonly ms: number;
}

/** Milliseconds that a script may run at first, beside all other scripts. Ordinary scripts take less than one. */
const quickMs = 100;

/** Milliseconds that a script may run at all. as Karmada luavm RunScript */
const slowMs = 1_000;

/**
 * Milliseconds after its limit at which a thread is ended that does not end a script by itself: in one call of a function of C, such as
 * `string.find` with a pattern that backtracks. It includes the start of a thread on a busy machine.
 */
const graceMs = 1_000;

/** Milliseconds for which a key stays in the slow lane after a script of it was late. */
const slowForMs = 5 * 60_000;

/** Keys that are remembered as slow. */
const maxSlowKeys = 1_000;

const lateMessage = `the script takes longer than ${slowMs} ms: context deadline exceeded`;

function openPool(threads: number, ms: number): ThreadPool {
  return new ThreadPool({
    entry: new URL(import.meta.resolve('#dist/controllers/interpreter/lua/worker.js')),
    threads,
    memory: 128,
    idle: 60_000,
    limit: ms + graceMs,
    queue: { length: 4_096, lengthPerKey: 1_024, bytes: 64 * 1024 * 1024 },
  });
}

/** The reason why a thread gave no outcome, for the author of the script. */
function failureText({ reason, message }: OffloadError): string {
  switch (reason) {
    case 'full':
      return 'too many scripts are waiting';
    case 'late':
      return lateMessage;
    case 'memory':
      return 'the script needs too much memory';
    case 'failed':
    case 'closed':
      return `the script could not be run: ${message}`;
  }
}

/**
 * Runs scripts in threads, off the event loop. A script that takes long is run again in a lane for slow scripts, where its key stays for a while: so
 * keys with slow scripts wait for each other, and never delay the others by more than one quick run. Threads start with the first script, and end
 * when there is none for a minute.
 */
export class ScriptRunner implements LuaRunner {
  readonly #quick: Lane = { pool: openPool(availableParallelism() > 2 ? 2 : 1, quickMs), ms: quickMs };
  readonly #slow: Lane = { pool: openPool(1, slowMs), ms: slowMs };
  readonly #slowKeys = new LRUCache<string, true>({ max: maxSlowKeys, ttl: slowForMs });

  async run(call: LuaCall, key: string): Promise<readonly LuaResult[]> {
    const first = this.#slowKeys.has(key) ? this.#slow : this.#quick;
    let outcome = await this.#runIn(first, call, key);
    if (first === this.#quick && 'failure' in outcome && outcome.failure === 'late') {
      this.#slowKeys.set(key, true);
      outcome = await this.#runIn(this.#slow, call, key);
    }
    if ('results' in outcome) return outcome.results;
    throw new ExpectedError(outcome.message);
  }

  /** Ends all threads. Calls that wait or run reject. */
  async close(): Promise<void> {
    await Promise.all([this.#quick.pool.close(), this.#slow.pool.close()]);
  }

  async #runIn({ pool, ms }: Lane, call: LuaCall, key: string): Promise<LuaOutcome> {
    try {
      return readLuaOutcome(await pool.run(luaTaskName, writeLuaInput({ call, ms }), { key }));
    } catch (error) {
      if (!(error instanceof OffloadError)) throw error;
      if (error.reason === 'late') return { failure: 'late', message: lateMessage };
      throw new ExpectedError(failureText(error), { cause: error });
    }
  }
}
