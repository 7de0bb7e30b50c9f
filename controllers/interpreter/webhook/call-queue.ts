import { setMaxListeners } from 'node:events';
import { FairLimit } from '../../../lib/fair-limit.js';

/** Calls of one configuration that run at a time. */
const maxRunning = 16;

/** Calls of one configuration that wait for their turn: those of one object to a thousand clusters come together. Sizes are those of requests. */
const maxWaiting = { length: 2_000, lengthPerKey: 2_000, bytes: 16 * 1024 * 1024 };

interface Call {
  /** The name of the webhook. */
  readonly name: string;
  /** UTF-16 units of the request: at most its bytes, and at least a third of them. */
  readonly size: number;
}

/** Runs the calls of one configuration. Its webhooks take turns. */
export class CallQueue {
  readonly #limit = new FairLimit(maxRunning, maxWaiting);
  readonly #stopping = new AbortController();
  /** Calls that run or wait. */
  #calls = 0;

  constructor() {
    setMaxListeners(maxRunning, this.#stopping.signal);
  }

  get isIdle(): boolean {
    return this.#calls === 0;
  }

  /** The calls were ended. */
  get isAborted(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Ends all calls, also those that wait. */
  abort(): void {
    this.#stopping.abort();
  }

  /**
   * Returns the result of a call, which begins when it is its turn, and must end when its signal aborts. Rejects with QueueFullError if too many
   * wait.
   */
  async run<T>({ name, size }: Call, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await this.#limit.run(() => call(this.#stopping.signal), { key: name, size });
    } finally {
      this.#calls--;
    }
  }
}
