/**
 * Divides among servers the time that their answers take of the event loop. A server that sends at full speed is read more slowly, and
 * then its socket is not read at all; what another one sends waits for one piece of it at the most.
 */

/** One server's part of the loop. */
export interface Share {
  /**
   * Asked before each piece of work: parsing one item of a list or one event. Undefined: go on at once; otherwise it is the server's
   * turn when the promise resolves. The piece is all that happens until the asker waits for something else.
   */
  next(): Promise<void> | undefined;
}

/** Milliseconds of one turn of the event loop that go to what other servers send, plus the last piece. */
const turnMs = 4;

type Wake = () => void;

export class Turns {
  /** Those who wait, by server, in the order of their turns. */
  readonly #waiting = new Map<object, Wake[]>();
  #began = 0;
  #isRunning = false;

  share(): Share {
    const server = {};
    return { next: () => this.#next(server) };
  }

  /** hot: once per item and event. */
  #next(server: object): Promise<void> | undefined {
    if (!this.#isRunning) {
      const now = performance.now();
      if (this.#began === 0) {
        this.#began = now;
        setImmediate(() => (this.#began = 0));
        return undefined;
      }
      if (now - this.#began < turnMs) return undefined;
      this.#isRunning = true;
      setImmediate(this.#run);
    }
    return new Promise(wake => {
      const queue = this.#waiting.get(server);
      if (queue) queue.push(wake);
      else this.#waiting.set(server, [wake]);
    });
  }

  readonly #run = (): void => {
    this.#began = performance.now();
    this.#grant();
  };

  readonly #grant = (): void => {
    const [first] = this.#waiting;
    if (!first) {
      this.#isRunning = false;
      setImmediate(() => (this.#began = 0));
      return;
    }
    if (performance.now() - this.#began >= turnMs) return void setImmediate(this.#run);
    const [server, queue] = first;
    const wake = queue.shift();
    // The server whose turn it was goes to the end of the line.
    this.#waiting.delete(server);
    if (queue.length > 0) this.#waiting.set(server, queue);
    wake?.();
    // Ticks come when no microtask is left: when the piece is done.
    queueMicrotask(() => process.nextTick(this.#grant));
  };
}

/** All servers that this process speaks to. */
export const turns = new Turns();
