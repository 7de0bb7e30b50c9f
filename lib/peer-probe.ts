/** Milliseconds between two probes. */
const defaultEveryMs = 15_000;

/**
 * Notices that the other side of a connection is gone while the connection is not read: what ends a connection is read after all that was sent before,
 * but what is written to a side that is gone fails. So something is written from time to time, which the other side ignores.
 */
export class PeerProbe {
  readonly #write: () => void;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isReading = true;

  /** `write` writes something that is ignored, unless something waits to be written already. */
  constructor(write: () => void, everyMs = defaultEveryMs) {
    this.#write = write;
    this.#everyMs = everyMs;
  }

  /** To be called when the connection is not read any more. */
  start(): void {
    this.#isReading = false;
    // A pause is mostly short, so the timer of the last one goes on.
    this.#timer ??= setInterval(() => this.#tick(), this.#everyMs).unref();
  }

  /** To be called when the connection is read again. */
  stop(): void {
    this.#isReading = true;
  }

  /** To be called when the connection has ended. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isReading = true;
  }

  #tick(): void {
    if (this.#isReading) this.close();
    else this.#write();
  }
}
