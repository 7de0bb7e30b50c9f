import { CallError, codes } from './call-error.js';
import type { HeaderField } from '../../../lib/http2/hpack.js';
import { ReceiveWindow } from '../../../lib/http2/receive-window.js';
import type { ClientStream } from '../../../lib/http2/client-session.js';
import { StreamError } from '../../../lib/http2/error.js';
import { Incoming, prefixBytes } from './incoming.js';

/** Bytes that the server may send on a stream before they have been read. */
export const grpcStreamWindow = 1 << 20;

/** The connection of a call, as its stream sees it. */
export interface CallConnection {
  /** hot: sends a message that fits into one frame. Returns false when it does not fit, or may not be sent now. */
  sendWhole(stream: CallStream, message: Uint8Array, ends: boolean): boolean;
  /** Sends as much of the bytes as may be sent now, and copies it. Returns how much that is. */
  sendData(stream: CallStream, bytes: Buffer, ends: boolean): number;
  /** Resets a stream that is no longer needed. */
  cancel(stream: CallStream): void;
  /** Lets the server send so many more bytes on the stream. */
  renew(stream: CallStream, bytes: number): void;
}

/** The owner of a call. */
export interface CallOwner {
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

/** Returns the error of calls whose connection is gone. */
export function dropped(error: Error): CallError {
  const why = error.message === '' ? '' : `: ${error.message}`;
  return new CallError(codes.unavailable, `Connection dropped${why}`, { cause: error });
}

function callError(error: Error): CallError {
  if (error instanceof CallError) return error;
  if (!(error instanceof StreamError)) return dropped(error);
  return new CallError(codes.unavailable, error.message, { refused: error.refused });
}

/** One call on a connection: its state and its messages; the session sends its frames. */
export class CallStream implements ClientStream {
  readonly #connection: CallConnection;
  readonly #owner: CallOwner;
  readonly #incoming = new Incoming();
  readonly path: string;
  readonly extra: readonly HeaderField[];
  readonly secret: HeaderField | undefined;
  /** The stream's number; 0 before the call has begun. */
  id = 0;
  allowance = 0;
  readonly #window = new ReceiveWindow(grpcStreamWindow, grpcStreamWindow / 2);
  /** Bytes that wait to be sent. */
  #rest: Buffer = none;
  /** The last message was written. */
  isLast = false;
  #over = false;
  #http = '';
  #code: string | undefined;
  #details = '';

  constructor(
    connection: CallConnection,
    path: string,
    owner: CallOwner,
    extra: readonly HeaderField[],
    secret: HeaderField | undefined,
  ) {
    this.#connection = connection;
    this.#owner = owner;
    this.path = path;
    this.extra = extra;
    this.secret = secret;
  }

  send(message: Uint8Array, last: boolean): void {
    if (this.#over) return;
    if (this.#rest.length === 0 && this.#connection.sendWhole(this, message, last)) {
      this.isLast = last;
      return;
    }
    const before = this.#rest.length;
    const bytes = Buffer.allocUnsafe(before + prefixBytes + message.length);
    bytes.set(this.#rest);
    bytes[before] = 0;
    bytes.writeUInt32BE(message.length, before + 1);
    bytes.set(message, before + prefixBytes);
    this.#rest = bytes;
    this.isLast = last;
    this.flow();
  }

  get hasQueue(): boolean {
    return this.#rest.length > 0;
  }

  get isSent(): boolean {
    return this.isLast && !this.hasQueue;
  }

  flow(): void {
    const rest = this.#rest;
    if (rest.length === 0) return;
    const sent = this.#connection.sendData(this, rest, this.isLast);
    this.#rest = sent === rest.length ? none : rest.subarray(sent);
  }

  /** Ends the call without waiting for an answer; the owner is not called any more. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection.cancel(this);
  }

  /** Called by the owner for bytes that it keeps unread. The server may not send others in their place until they are released. */
  hold(bytes: number): void {
    this.#window.hold(bytes);
  }

  release(bytes: number): void {
    const due = this.#window.release(bytes);
    if (due > 0) this.#connection.renew(this, due);
  }

  headers(fields: readonly HeaderField[]): undefined {
    for (const { name, value } of fields) {
      if (name === ':status') this.#http = value;
      else if (name === 'grpc-status') this.#code = value;
      else if (name === 'grpc-message') this.#details = unescaped(value);
    }
  }

  /** Returns the error of the call, once all headers are there; undefined when it succeeded. */
  #status(): CallError | undefined {
    if (this.#code === '0') {
      return this.#incoming.isBroken ? new CallError(codes.internal, 'the answer is cut off') : undefined;
    }
    if (this.#code !== undefined) return new CallError(codeOf(this.#code), this.#details);
    if (this.#http === '200') return new CallError(codes.unknown, 'the answer has no status');
    return new CallError(codeOfHttp[this.#http] ?? codes.unavailable, `Received HTTP status code ${this.#http}`);
  }

  /** Processes data. `length`: bytes of the window that the frame took, including padding. */
  data(content: Buffer, length: number): CallError | undefined {
    if (!this.#window.receive(length)) return new CallError(codes.internal, 'more was sent than may be');
    try {
      if (this.#http === '200') this.#incoming.push(content, message => this.#over || this.#owner.message(message));
    } catch (error) {
      return new CallError(codes.internal, error instanceof Error ? error.message : String(error));
    }
    this.release(length);
    return undefined;
  }

  complete(): void {
    this.end(this.#status());
  }

  fail(error: Error): void {
    this.end(callError(error));
  }

  end(error: CallError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#owner.end(error);
  }
}
