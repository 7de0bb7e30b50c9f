import { cutOff, WholeBody } from '../body.js';

/** The body of a request. It is kept until it is read; the stream's window, which is renewed as the body is read, limits how much that is. */
export class IncomingBody {
  readonly #release: (bytes: number) => void;
  #chunks: Buffer[] = [];
  #whole: WholeBody | undefined;
  #isUnwanted = false;
  #isBroken = false;
  /** One slot for the reader that waits for more. */
  #wakeReader: (() => void) | undefined;
  /** Nothing follows the received chunks. */
  isComplete: boolean;

  /** `release` is called for all bytes, in portions, when they no longer count for the window. */
  constructor(isComplete: boolean, release: (bytes: number) => void) {
    this.isComplete = isComplete;
    this.#release = release;
  }

  push(chunk: Buffer): void {
    if (this.#whole === undefined && !this.#isUnwanted) {
      this.#chunks.push(chunk);
      this.#wake();
      return;
    }
    this.#whole?.push(chunk);
    this.#release(chunk.length);
  }

  end(): void {
    this.isComplete = true;
    this.#whole?.end();
    this.#wake();
  }

  /** Notes that the client sends nothing more. A body that is incomplete is an error for its reader. */
  breakOff(): void {
    if (this.isComplete) return;
    this.#isBroken = true;
    this.#whole?.breakOff();
    this.#wake();
  }

  /** Discards the rest. A later reader gets an error rather than a part of the body. */
  leave(): void {
    this.#isUnwanted = true;
    if (this.#chunks.length > 0) this.#isBroken = true;
    this.#releaseAll();
  }

  /** Resolves to the whole body. Rejects with 413 beyond `limit` bytes, and with 400 when the client breaks off. */
  whole(declared: number | undefined, limit: number): Promise<Buffer> {
    const whole = (this.#whole = new WholeBody(declared, limit));
    for (const chunk of this.#releaseAll()) whole.push(chunk);
    if (this.#isBroken) whole.breakOff();
    else if (this.isComplete) whole.end();
    return whole.promise;
  }

  /** Yields the body at the pace of the reader, which may stop before the end. Throws 400 when the client breaks off. */
  async *pieces(): AsyncIterableIterator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#release(chunk.length);
        yield chunk;
      } else if (this.#isBroken) throw cutOff();
      else if (this.isComplete) return;
      else if (this.#isUnwanted) throw cutOff();
      else await new Promise<void>(resolve => (this.#wakeReader = resolve));
    }
  }

  #releaseAll(): readonly Buffer[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) this.#release(chunk.length);
    return chunks;
  }

  #wake(): void {
    const wake = this.#wakeReader;
    this.#wakeReader = undefined;
    wake?.();
  }
}
