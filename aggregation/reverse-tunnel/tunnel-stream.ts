import { Duplex } from 'node:stream';
import type { ClientStream } from '../../lib/http2/client-session.js';
import { errorCodes } from '../../lib/http2/error.js';
import type { HeaderField } from '../../lib/http2/hpack.js';
import { ReceiveWindow } from '../../lib/http2/receive-window.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { ByteCollector } from '../remote/byte-collector.js';
import { answerHead } from '../remote/transport/h2/answer-head.js';
import { closedByServer, connectTimeout, malformed, transportError } from '../remote/transport/transport-error.js';
import { faultHeader, tunnelStreamWindow } from './protocol.js';

/** The session of a tunnel, as its streams see it. */
interface StreamSession {
  sendData(stream: TunnelStream, bytes: Buffer, from: number, ends: boolean): number;
  cancel(stream: TunnelStream, code?: number): void;
  renew(stream: TunnelStream, bytes: number): void;
  release(bytes: number): void;
}

interface TunnelStreamOptions {
  readonly session: StreamSession;
  /** The member, in error messages. */
  readonly member: string;
  /** Milliseconds until the agent has connected to the member. */
  readonly openMs: number;
  /** Called once: without an error when the agent has connected, so that the stream may be used. */
  readonly opened: (error?: Error) => void;
}

const nothing = Buffer.alloc(0);
/** Bytes that are handed over before they are asked for. A hostile agent may send each of them on its own, which costs a hundred times as much memory. */
const readableHighWaterMark = 16 * 1024;

/**
 * One connection to the API server of a member, through its tunnel. Data that arrives before the reader asks for it is held in one buffer, and the agent
 * may not send more than the window of the stream: a slow reader delays no other stream.
 */
export class TunnelStream extends Duplex implements ClientStream {
  id = 0;
  allowance = 0;
  isSent = false;
  readonly #session: StreamSession;
  readonly #window = new ReceiveWindow(tunnelStreamWindow, tunnelStreamWindow / 2);
  readonly #held = new ByteCollector();
  /** Bytes of the windows that the held bytes take. */
  #heldLength = 0;
  #isAsked = false;
  /** The agent has sent everything, some of which may be held; or the stream has failed. */
  #isOver = false;
  #unsent: Buffer = nothing;
  #from = 0;
  #written: ((error?: Error | null) => void) | undefined;
  #opened: ((error?: Error) => void) | undefined;
  readonly #timer: NodeJS.Timeout;

  constructor({ session, member, openMs, opened }: TunnelStreamOptions) {
    super({ allowHalfOpen: false, readableHighWaterMark });
    this.#session = session;
    this.#opened = opened;
    this.#timer = setTimeout(() => this.destroy(connectTimeout(member, openMs)), openMs);
    // The reader may not listen yet, or not any more. `opened` or `close` tells it.
    this.on('error', () => undefined);
  }

  // The methods for received frames.

  headers(fields: readonly HeaderField[], ends: boolean): Error | undefined {
    // Trailers have no meaning here.
    if (!this.#opened) return ends ? undefined : malformed('headers within the body');
    const head = answerHead(fields);
    if (head === undefined) return malformed('its headers are invalid');
    const { [faultHeader]: fault } = head.headers;
    if (head.status !== 200)
      return new ExpectedError(typeof fault === 'string' ? fault : `the agent answers with status ${head.status}`);
    this.#settle();
    return undefined;
  }

  /** hot. */
  data(content: Buffer, length: number): Error | undefined {
    if (!this.#window.receive(length) || this.#opened) {
      this.#session.release(length);
      return malformed(this.#opened ? 'a body without headers' : 'more data than allowed');
    }
    if (!this.#isAsked) {
      this.#held.append(content);
      this.#heldLength += length;
      return undefined;
    }
    this.#release(length);
    if (content.length > 0) this.#isAsked = this.push(content);
    return undefined;
  }

  complete(): void {
    this.#isOver = true;
    if (this.#opened) this.#settle(closedByServer());
    if (this.#held.length === 0) this.push(null);
    // What is still written is lost, as on a connection that the other side has closed. An error would take what is held from the reader.
    this.#endWrite();
  }

  fail(error: Error): void {
    this.#isOver = true;
    this.destroy(transportError(error));
  }

  // The methods for sending.

  get hasQueue(): boolean {
    return this.#from < this.#unsent.length;
  }

  flow(): void {
    if (!this.hasQueue || this.#isOver) return;
    this.#from = this.#session.sendData(this, this.#unsent, this.#from, false);
    if (!this.hasQueue) this.#endWrite();
  }

  #endWrite(error?: Error): void {
    const written = this.#written;
    this.#written = undefined;
    this.#unsent = nothing;
    this.#from = 0;
    written?.(error);
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isOver) return done();
    this.#unsent = bytes;
    this.#from = 0;
    this.#written = done;
    this.flow();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.isSent = true;
    if (!this.#isOver) this.#session.sendData(this, nothing, 0, true);
    done();
  }

  override _read(): void {
    this.#isAsked = true;
    if (this.#held.length > 0) {
      const length = this.#heldLength;
      this.#heldLength = 0;
      this.#release(length);
      this.#isAsked = this.push(this.#held.take());
    }
    if (this.#isOver && this.#held.length === 0) this.push(null);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) this.#session.cancel(this, errorCodes.cancel);
    this.#isOver = true;
    if (this.#heldLength > 0) this.#session.release(this.#heldLength);
    this.#heldLength = 0;
    this.#held.take();
    this.#settle(error ?? closedByServer());
    this.#endWrite(error ?? closedByServer());
    done(error);
  }

  #release(length: number): void {
    this.#session.release(length);
    const due = this.#window.release(length);
    if (due > 0) this.#session.renew(this, due);
  }

  #settle(error?: Error): void {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.(error);
  }
}
