import type { Duplex } from 'node:stream';

/** So long the other side may wait for what it does not need at once: far below what counts as silence. */
const soonMs = 10;

/** hot: what is said in one turn of the event loop is one write to the socket. */
export class Outgoing {
  readonly #socket: Duplex;
  #parts: Uint8Array[] = [];
  /** What need not be a write of its own. */
  #soon: Uint8Array[] = [];
  #isSoon = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** The bytes must stay as they are. */
  write(bytes: Uint8Array): void {
    if (this.#parts.length === 0) setImmediate(() => this.#flush());
    this.#parts.push(bytes);
  }

  /** With what is said next, or after a moment. */
  writeSoon(bytes: Uint8Array): void {
    this.#soon.push(bytes);
    if (this.#isSoon) return;
    this.#isSoon = true;
    const late = (): void => {
      this.#isSoon = false;
      if (this.#soon.length > 0 && this.#parts.length === 0) this.#flush();
    };
    setTimeout(late, soonMs).unref();
  }

  #flush(): void {
    const parts = [...this.#soon, ...this.#parts];
    this.#soon = [];
    this.#parts = [];
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(parts));
  }
}
