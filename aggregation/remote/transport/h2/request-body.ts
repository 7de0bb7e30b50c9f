import type { PoolRequest } from '../pool.js';

/** The stream of a body. */
interface BodyStream {
  /** Sends as much as may be sent now, from `from` on. Returns the index of the first byte that was not sent. */
  send(bytes: Buffer, from: number, ends: boolean): number;
  /** Ends the stream without the rest of the body, which cannot be read any more. */
  breakOff(reason: Error): void;
}

const none = Buffer.alloc(0);

/** The body of a request: bytes, or a stream, of which one chunk is read at a time. */
export class RequestBody {
  readonly #stream: BodyStream;
  /** The body; undefined when it is a stream. */
  readonly #whole: Buffer | undefined;
  readonly #chunks: AsyncIterable<Buffer> | undefined;
  /** The bytes that are being sent, from `#from` on. */
  #rest: Buffer = none;
  #from = 0;
  /** Nothing follows these bytes. */
  #isLast: boolean;
  /** Chunks were read, which cannot be read again. */
  #isUsed = false;
  #isOver = false;
  #sent: () => void = () => undefined;

  constructor(stream: BodyStream, body: PoolRequest['body']) {
    this.#stream = stream;
    this.#isLast = body === undefined || body instanceof Uint8Array;
    if (body instanceof Uint8Array) this.#whole = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    else if (body === undefined) this.#whole = none;
    else this.#chunks = body;
  }

  get isEmpty(): boolean {
    return this.#whole?.length === 0;
  }

  get hasQueue(): boolean {
    return this.#from < this.#rest.length;
  }

  get isSent(): boolean {
    return this.#isLast && !this.hasQueue;
  }

  /** Sends the body after the headers, which have ended the stream if it is empty. */
  begin(): void {
    if (this.#chunks !== undefined) return void this.#pump(this.#chunks);
    this.#rest = this.#whole ?? none;
    this.flow();
  }

  flow(): void {
    if (!this.hasQueue) return;
    this.#from = this.#stream.send(this.#rest, this.#from, this.#isLast);
    if (!this.hasQueue) this.#sent();
  }

  /** Sends the body from its beginning on another connection. Returns false when that is not possible. */
  rewind(): boolean {
    this.#from = 0;
    this.#rest = none;
    return !this.#isUsed;
  }

  /** Sends and reads nothing more. */
  end(): void {
    this.#isOver = true;
    this.#sent();
  }

  async #pump(chunks: AsyncIterable<Buffer>): Promise<void> {
    this.#isUsed = true;
    try {
      for await (const chunk of chunks) {
        if (this.#isOver) return;
        this.#rest = chunk;
        this.#from = 0;
        this.flow();
        if (this.hasQueue) await new Promise<void>(resolve => (this.#sent = resolve));
        if (this.#isOver) return;
      }
      if (this.#isOver) return;
      this.#isLast = true;
      this.#rest = none;
      this.#from = 0;
      this.#stream.send(none, 0, true);
    } catch (error) {
      this.#stream.breakOff(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
