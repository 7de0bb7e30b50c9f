import { CallError, codes } from './call-error.js';
import type { Field } from '../../../lib/http2/hpack.js';
import { Incoming, prefixBytes } from './incoming.js';

/** Bytes that the server may send on a stream before they have been read. */
export const streamWindow = 1 << 20;

/** What a stream needs of the connection that carries it. */
export interface Carrier {
  /** hot: sends a message that fits into one frame, without a copy. False: it does not fit, or may not be sent now. */
  sendWhole(stream: Stream, message: Uint8Array, ends: boolean): boolean;
  /** Sends as much of what waits on the stream as its window allows. */
  flow(stream: Stream): void;
  /** Resets a stream that is no longer needed. */
  cancel(stream: Stream): void;
  /** Lets the server send so many more bytes on the stream. */
  renew(stream: Stream, bytes: number): void;
}

/** The owner of a call. */
export interface Sink {
  /** Receives a message, which may be a view of a larger buffer. */
  message(message: Buffer): void;
  /** Called once, at the end. Undefined: the call succeeded. */
  end(error: CallError | undefined): void;
}

const none = Buffer.alloc(0);

/** gRPC codes of HTTP statuses, for an answer without gRPC (as https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md). */
const codeOfHttp: Readonly<Record<string, number>> = {
  400: codes.internal,
  401: codes.unauthenticated,
  403: codes.permissionDenied,
};

const codeOf = (text: string): number => (/^\d{1,2}$/.test(text) ? Number(text) : codes.unknown);

/** Returns a decoded grpc-message; one that is not escaped correctly stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One call on a connection: its state and its messages; the session sends its frames. */
export class Stream {
  readonly #session: Carrier;
  readonly #sink: Sink;
  readonly #incoming = new Incoming();
  readonly path: string;
  readonly extra: readonly Field[];
  readonly secret: Field | undefined;
  /** The stream's number; 0 before the call has begun. */
  id = 0;
  /** Bytes that may be sent. */
  window = 0;
  /** Bytes that wait to be sent, and whether they are the last ones. */
  rest: Buffer = none;
  isLast = false;
  #endSent = false;
  #over = false;
  /** Bytes received and processed since the window was last renewed. */
  #received = 0;
  /** Bytes that the server may send. */
  #credit: number = streamWindow;
  #http = '';
  #code: string | undefined;
  #details = '';

  constructor(session: Carrier, path: string, sink: Sink, extra: readonly Field[], secret: Field | undefined) {
    this.#session = session;
    this.#sink = sink;
    this.path = path;
    this.extra = extra;
    this.secret = secret;
  }

  send(message: Uint8Array, last: boolean): void {
    if (this.#over) return;
    if (this.rest.length === 0 && this.#session.sendWhole(this, message, last)) {
      this.isLast = this.#endSent = last;
      return;
    }
    const before = this.rest.length;
    const bytes = Buffer.allocUnsafe(before + prefixBytes + message.length);
    bytes.set(this.rest);
    bytes[before] = 0;
    bytes.writeUInt32BE(message.length, before + 1);
    bytes.set(message, before + prefixBytes);
    this.rest = bytes;
    this.isLast = last;
    this.#session.flow(this);
  }

  get hasMore(): boolean {
    return this.rest.length > 0 || (this.isLast && !this.#endSent);
  }

  /** Called by the session when so many of the waiting bytes were written. */
  sent(bytes: number): void {
    this.window -= bytes;
    this.rest = bytes === this.rest.length ? none : this.rest.subarray(bytes);
    this.#endSent = this.isLast && this.rest.length === 0;
  }

  /** Ends the call without waiting for an answer; the sink is not called any more. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#session.cancel(this);
  }

  /** Called by the sink for bytes that it keeps unread. The server may not send others in their place until they are released. */
  hold(bytes: number): void {
    this.#received -= bytes;
  }

  release(bytes: number): void {
    this.#received += bytes;
    this.#renew();
  }

  #renew(): void {
    if (this.#received < streamWindow / 2) return;
    this.#session.renew(this, this.#received);
    this.#credit += this.#received;
    this.#received = 0;
  }

  headers(fields: readonly Field[]): void {
    for (const { name, value } of fields) {
      if (name === ':status') this.#http = value;
      else if (name === 'grpc-status') this.#code = value;
      else if (name === 'grpc-message') this.#details = unescaped(value);
    }
  }

  /** Returns the error of the call, once all headers are there; undefined when it succeeded. */
  status(): CallError | undefined {
    if (this.#code === '0') {
      return this.#incoming.isBroken ? new CallError(codes.internal, 'the answer is cut off') : undefined;
    }
    if (this.#code !== undefined) return new CallError(codeOf(this.#code), this.#details);
    if (this.#http === '200') return new CallError(codes.unknown, 'the answer has no status');
    return new CallError(codeOfHttp[this.#http] ?? codes.unavailable, `Received HTTP status code ${this.#http}`);
  }

  /** Processes data. `length`: bytes of the window that the frame took, including padding. */
  data(content: Buffer, length: number): CallError | undefined {
    this.#received += length;
    this.#credit -= length;
    if (this.#credit < 0) return new CallError(codes.internal, 'more was sent than may be');
    try {
      if (this.#http === '200') this.#incoming.push(content, message => this.#over || this.#sink.message(message));
    } catch (error) {
      return new CallError(codes.internal, error instanceof Error ? error.message : String(error));
    }
    this.#renew();
    return undefined;
  }

  end(error: CallError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.end(error);
  }
}
