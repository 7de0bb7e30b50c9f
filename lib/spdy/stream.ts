import { Duplex } from 'node:stream';
import { resetCodes } from './frames.js';
import type { SpdyHeaders } from './header-blocks.js';

/** What a stream needs of its connection. */
export interface SpdyStreamOwner {
  /** Sends data; calls back when the connection has taken it. */
  send(stream: SpdyStream, chunk: Buffer, isEnd: boolean, done: (error?: Error | null) => void): void;
  reset(stream: SpdyStream, code: number): void;
  /** Stops reading from the connection, since the stream is behind with reading. */
  hold(stream: SpdyStream): void;
  /** Ends a `hold` of the stream, if there is one. */
  unhold(stream: SpdyStream): void;
  /** Forgets the stream, which has ended in both directions. */
  ended(stream: SpdyStream): void;
}

/** Bytes that a stream holds for a slow reader before its connection is not read any more. */
const highWaterMark = 64 * 1024;

/** One stream of a connection. Each direction ends alone. */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** Resolves when the other side has accepted the stream. Rejects when it refuses it, or the connection ends. */
  readonly accepted: Promise<void>;
  readonly #owner: SpdyStreamOwner;
  #accept!: () => void;
  #refuse!: (error: Error) => void;
  #isRemoteEnded = false;
  #isLocalEnded = false;
  #isAccepted = false;
  #isReset = false;
  /** Why the stream fails when all that has arrived is read. */
  #failure: Error | undefined;

  constructor(owner: SpdyStreamOwner, id: number, headers: SpdyHeaders) {
    super({ allowHalfOpen: true, highWaterMark, emitClose: true });
    this.id = id;
    this.headers = headers;
    this.#owner = owner;
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    this.accepted.catch(() => undefined);
    // A stream that is reset may have no reader.
    this.on('error', () => undefined);
  }

  /** Returns the first value of a header; '' when it is missing. */
  header(name: string): string {
    return this.headers.get(name)?.[0] ?? '';
  }

  /** Called by the connection when the other side has answered the frame that opened the stream. */
  replied(): void {
    this.#isAccepted = true;
    this.#accept();
  }

  /** Called by the connection for data of the other side. */
  received(chunk: Buffer, isEnd: boolean): void {
    if (this.destroyed || this.#isRemoteEnded) return;
    if (chunk.length > 0 && !this.push(chunk)) this.#owner.hold(this);
    if (!isEnd) return;
    this.#isRemoteEnded = true;
    this.push(null);
  }

  /**
   * Called by the connection when the other side has reset the stream. Kubelets reset streams to close them, so for one that was accepted this is the end
   * of what can be read. as github.com/moby/spdystream Connection.handleResetFrame
   */
  wasReset(): void {
    if (!this.#isAccepted) return this.cut(new Error('the stream was reset'));
    if (this.destroyed || this.#isReset) return;
    this.#isReset = true;
    this.#isLocalEnded = true;
    if (!this.#isRemoteEnded) this.push(null);
    this.#isRemoteEnded = true;
    const hasReader = this.readableFlowing !== null || this.listenerCount('readable') > 0;
    if (this.readableEnded || (!hasReader && this.readableLength === 0)) this.destroy();
    else this.once('end', () => this.destroy());
  }

  /** Called by the connection when the stream was refused, or the connection has ended. */
  cut(error: Error): void {
    const hasAll = this.#isRemoteEnded;
    this.#isRemoteEnded = true;
    this.#isLocalEnded = true;
    this.#refuse(error);
    // What the other side has sent completely can still be read.
    if (hasAll && !this.readableEnded && !this.destroyed) this.once('end', () => this.destroy());
    else this.destroy(error);
  }

  /** Called by the connection when it breaks: what has arrived can still be read, then the stream fails. */
  failAfterReading(error: Error): void {
    if (this.#isRemoteEnded || this.readableLength === 0) return this.cut(error);
    this.#isRemoteEnded = true;
    this.#isLocalEnded = true;
    this.#refuse(error);
    this.#failure = error;
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size);
    if (this.#failure && this.readableLength === 0) this.destroy(this.#failure);
    return chunk;
  }

  override _read(): void {
    this.#owner.unhold(this);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isReset) done(new Error('the stream was reset'));
    else this.#owner.send(this, chunk, false, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isReset) return done();
    this.#isLocalEnded = true;
    this.#owner.send(this, Buffer.alloc(0), true, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isRemoteEnded || !this.#isLocalEnded) this.#owner.reset(this, resetCodes.cancel);
    this.#refuse(error ?? new Error('the stream is closed'));
    this.#owner.unhold(this);
    this.#owner.ended(this);
    done(error);
  }
}
