import { errorCodes } from '../../../lib/http2/error.js';
import type { ResponseHeaders, ResponseStream } from '../../interface.js';
import { DrainSlot } from '../drain-slot.js';
import { joined, stallTimeout } from '../response-stream.js';
import { IncomingBody } from './incoming-body.js';

/** How much of a request body a client may send ahead. as apiserver/pkg/server/secure_serving.go resourceBody99Percentile */
export const streamWindow = 256 * 1024;
/** A client is told of room when there is this much more of it. */
const worthTelling = streamWindow / 2;

/** The connection of a stream, as the stream sees it. */
export interface Carrier {
  head(id: number, status: number, headers: ResponseHeaders, ends: boolean): void;
  /** As much of the bytes, from there on, as may be sent now. Answers where it stopped. */
  send(stream: ServerStream, bytes: Buffer, from: number, ends: boolean): number;
  /** Breaks the stream off, and tells the client. */
  reset(stream: ServerStream, code: number): void;
  /** All is said. */
  answered(stream: ServerStream): void;
  /** Bytes that came on a stream are of no concern any more. */
  taken(bytes: number): void;
  /** The client may send so much more on the stream. */
  renew(stream: ServerStream, bytes: number): void;
}

const none = Buffer.alloc(0);

/** hot: one request and its answer on a connection. */
export class ServerStream implements ResponseStream {
  readonly id: number;
  readonly body: IncomingBody;
  readonly #carrier: Carrier;
  readonly #slot = new DrainSlot();
  #onClose: (() => void)[] | undefined;
  /** What the client allowed in addition to what it allows every stream, less what was sent. */
  allowance = 0;
  /** How much the client may send. */
  #credit = streamWindow;
  /** Bytes of the body so far. */
  received = 0;
  /** By the Content-Length of the request. */
  readonly declared: number | undefined;
  #taken = 0;
  /** What could not be sent yet: the first from `#from` on. */
  #queue: Buffer[] = [];
  #from = 0;
  /** Nothing comes after what is in the queue. */
  isEnded = false;
  closed = false;

  constructor(carrier: Carrier, id: number, hasBody: boolean, declared: number | undefined) {
    this.id = id;
    this.#carrier = carrier;
    this.declared = declared;
    this.body = new IncomingBody(!hasBody, bytes => this.#take(bytes));
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  /** Of a complete answer: what the client does not take. */
  get unwanted(): number {
    return this.isEnded ? this.#queue.reduce((sum, { length }) => sum + length, -this.#from) : 0;
  }

  head(status: number, headers: ResponseHeaders, ends: boolean): void {
    if (this.closed) return;
    this.#carrier.head(this.id, status, headers, ends);
    if (ends) this.#over();
  }

  write(chunk: Buffer): boolean {
    if (this.closed || this.isEnded || chunk.length === 0) return true;
    return this.#say(chunk);
  }

  writeAll(chunks: readonly Buffer[]): boolean {
    return chunks.length === 0 || this.write(joined(chunks));
  }

  /** With the last of the body. */
  end(last: Buffer = none): void {
    if (this.closed || this.isEnded) return;
    this.isEnded = true;
    this.#say(last);
  }

  drained(): Promise<void> {
    if (this.closed || this.#queue.length === 0) return Promise.resolve();
    return this.#slot.wait(stallTimeout, () => this.reset(errorCodes.internal));
  }

  #say(chunk: Buffer): boolean {
    if (this.#queue.length > 0) {
      if (chunk.length > 0) this.#queue.push(chunk);
      return false;
    }
    const from = this.#carrier.send(this, chunk, 0, this.isEnded);
    if (from < chunk.length) {
      this.#queue.push(chunk);
      this.#from = from;
      return false;
    }
    if (this.isEnded) this.#over();
    return true;
  }

  /** Sends as much of what waits as may be sent. */
  flow(): void {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      this.#from = this.#carrier.send(this, first, this.#from, this.isEnded && this.#queue.length === 1);
      if (this.#from < first.length) return;
      this.#queue.shift();
      this.#from = 0;
    }
    if (this.isEnded) this.#over();
    this.#slot.wake();
  }

  #over(): void {
    this.isEnded = true;
    this.#carrier.answered(this);
  }

  reset(code: number): void {
    if (!this.closed) this.#carrier.reset(this, code);
  }

  onClose(listener: () => void): void {
    (this.#onClose ??= []).push(listener);
  }

  /** By the connection: nothing is said and heard any more. Who listens hears of it at the end of the turn. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#queue = [];
    this.body.breakOff();
    this.body.leave();
    this.#slot.wake();
  }

  tellClosed(): void {
    const listeners = this.#onClose;
    this.#onClose = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** By the connection: a piece of the body, which took so much of the window. Answers what is wrong with it. */
  take(content: Buffer, length: number): number {
    this.#credit -= length;
    this.received += content.length;
    if (this.#credit < 0) return errorCodes.flowControl;
    if (this.declared !== undefined && this.received > this.declared) return errorCodes.protocol;
    if (length > content.length) this.#take(length - content.length);
    if (content.length > 0) this.body.push(content);
    return errorCodes.none;
  }

  #take(bytes: number): void {
    this.#carrier.taken(bytes);
    if (this.closed || this.body.isComplete) return;
    this.#taken += bytes;
    if (this.#taken < worthTelling) return;
    this.#credit += this.#taken;
    this.#carrier.renew(this, this.#taken);
    this.#taken = 0;
  }
}
