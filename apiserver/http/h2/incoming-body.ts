import { cutOff, WholeBody } from '../body.js';

/**
 * What a client sends on a stream after the head of its request. It is kept until somebody wants it; how much that is, the stream's window
 * says, which moves on with what is taken.
 */
export class IncomingBody {
  readonly #taken: (bytes: number) => void;
  #chunks: Buffer[] = [];
  #whole: WholeBody | undefined;
  #isUnwanted = false;
  #isGone = false;
  /** One slot: who waits for more. */
  #more: (() => void) | undefined;
  /** Nothing comes after what is here. */
  isComplete: boolean;

  /** `taken` hears of all bytes, in portions, when they are of no concern to the window any more. */
  constructor(isComplete: boolean, taken: (bytes: number) => void) {
    this.isComplete = isComplete;
    this.#taken = taken;
  }

  push(chunk: Buffer): void {
    if (this.#whole === undefined && !this.#isUnwanted) {
      this.#chunks.push(chunk);
      this.#wake();
      return;
    }
    this.#whole?.push(chunk);
    this.#taken(chunk.length);
  }

  end(): void {
    this.isComplete = true;
    this.#whole?.end();
    this.#wake();
  }

  /** The client sends no more of it, whatever it promised. */
  breakOff(): void {
    if (this.isComplete) return;
    this.#isGone = true;
    this.#whole?.breakOff();
    this.#wake();
  }

  /** Nobody wants the rest. Who asks for it all the same must not take what is left for all there was. */
  leave(): void {
    this.#isUnwanted = true;
    if (this.#chunks.length > 0) this.#isGone = true;
    this.#takeAll();
  }

  whole(declared: number | undefined, limit: number): Promise<Buffer> {
    const whole = (this.#whole = new WholeBody(declared, limit));
    for (const chunk of this.#takeAll()) whole.push(chunk);
    if (this.#isGone) whole.breakOff();
    else if (this.isComplete) whole.end();
    return whole.promise;
  }

  /** At the pace of the reader, who may stop before the end. */
  async *pieces(): AsyncIterableIterator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#taken(chunk.length);
        yield chunk;
      } else if (this.#isGone) throw cutOff();
      else if (this.isComplete) return;
      else if (this.#isUnwanted) throw cutOff();
      else await new Promise<void>(resolve => (this.#more = resolve));
    }
  }

  #takeAll(): readonly Buffer[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) this.#taken(chunk.length);
    return chunks;
  }

  #wake(): void {
    const more = this.#more;
    this.#more = undefined;
    more?.();
  }
}
