import type { Duplex } from 'node:stream';
import { ClientSession } from '../../../lib/http2/client-session.js';
import { defaults, maxWindow, settings } from '../../../lib/http2/frames.js';
import { type HeaderField, HeaderWriter } from '../../../lib/http2/hpack.js';
import { CallError, codes } from './call-error.js';
import { prefixBytes } from './incoming.js';
import { type CallConnection, CallStream, type CallOwner, dropped, grpcStreamWindow } from './stream.js';

interface SessionOptions {
  /** A connected socket that has agreed on HTTP/2. */
  readonly socket: Duplex;
  /** `host:port` */
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Milliseconds of silence, while calls wait, after which a ping is sent. */
  readonly silenceMs: number;
  /** Milliseconds within which the ping has to be answered. */
  readonly answerMs: number;
  /** Called when the server has sent its settings: calls can begin. */
  readonly ready: () => void;
  /** Called when the session takes no more calls: it is closed or about to be. Calls that have begun go on until `closed`. */
  readonly retired: () => void;
  readonly closed: (error: CallError) => void;
}

/** Bytes received on the connection after which its flow-control window is renewed. */
const renewAfter = 1 << 30;
/** Bytes of the headers of one answer: etcd's are small. */
const maxHeaderBytes = 1 << 18;

/** Returns the error of a call that was not sent. */
const refusal = (): CallError => new CallError(codes.unavailable, 'Connection dropped', { refused: true });

/**
 * The calls of gRPC on one connection. Why it is implemented here, and what it saves, is recorded in docs/decisions/0002-etcd-client.md. It saves by
 * sending everything of one turn in one write, by referring to earlier headers with a few prepared bytes, and by reading an answer without a Node
 * stream.
 *
 * A violation of the protocol ends the connection, and calls are repeated on another one; `refused` tells which of them were never processed.
 */
export class CallSession implements CallConnection {
  readonly #options: SessionOptions;
  readonly #session: ClientSession<CallStream>;
  readonly #writer = new HeaderWriter();
  readonly #fieldsByPath = new Map<string, readonly HeaderField[]>();
  /** Streams that wait until fewer are open. */
  #waiting: CallStream[] = [];
  /** The prefix of an uncompressed message; its length is written for each message. */
  readonly #prefix = Buffer.alloc(prefixBytes);

  constructor(options: SessionOptions) {
    this.#options = options;
    const { socket, silenceMs, answerMs } = options;
    this.#session = new ClientSession<CallStream>({
      ...{ socket, silenceMs, answerMs },
      settings: [[settings.initialWindow, grpcStreamWindow]],
      window: maxWindow,
      renewAfter,
      maxFrame: defaults.maxFrame,
      maxHeaderBytes,
      // A gRPC server in Go measures the bandwidth with a ping for each answer.
      delaysPongs: true,
      limitTable: bytes => this.#writer.limit(bytes),
      ready: options.ready,
      freed: () => this.#beginWaiting(),
      retired: () => {
        options.retired();
        this.#refuseWaiting();
      },
      closed: error => options.closed(error instanceof CallError ? error : dropped(error)),
    });
  }

  /** Counts the chunks received from the server. */
  get received(): number {
    return this.#session.received;
  }

  /** True when half of the calls that are allowed at a time are under way. */
  get isHalfFull(): boolean {
    return this.#session.size >= this.#session.maxStreams / 2;
  }

  /** Takes no more calls, and closes the session with the last one. */
  retire(): void {
    this.#session.retire();
  }

  close(error: CallError): void {
    this.#session.close(error);
  }

  /** Begins a call. `extra` headers are the same for every call of that path; a `secret` header is kept out of the server's header table. */
  open(path: string, owner: CallOwner, extra: readonly HeaderField[], secret?: HeaderField): CallStream {
    const stream = new CallStream(this, path, owner, extra, secret);
    if (this.#session.isRetired) stream.end(refusal());
    else if (this.#session.hasRoom) this.#begin(stream);
    else this.#waiting.push(stream);
    return stream;
  }

  #begin(stream: CallStream): void {
    this.#session.begin(stream);
    const { path, secret } = stream;
    this.#session.sendHeaders(stream, this.#writer.write(path, this.#fields(stream), secret), false);
  }

  #fields({ path, extra }: CallStream): readonly HeaderField[] {
    const known = this.#fieldsByPath.get(path);
    if (known !== undefined) return known;
    const fields = Object.entries({
      ':method': 'POST',
      ':scheme': this.#options.scheme,
      ':path': path,
      ':authority': this.#options.authority,
      'content-type': 'application/grpc',
      te: 'trailers',
    }).map(([name, value]) => ({ name, value }));
    const all = [...fields, ...extra];
    this.#fieldsByPath.set(path, all);
    return all;
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.#session.hasRoom) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin(next);
      next.flow();
    }
  }

  #refuseWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const stream of waiting) stream.end(refusal());
  }

  // The methods for streams.

  /** hot: every unary call. */
  sendWhole(stream: CallStream, message: Uint8Array, ends: boolean): boolean {
    if (stream.id === 0) return false;
    this.#prefix.writeUInt32BE(message.length, 1);
    return this.#session.sendWhole(stream, this.#prefix, message, ends);
  }

  sendData(stream: CallStream, bytes: Buffer, ends: boolean): number {
    return stream.id === 0 ? 0 : this.#session.sendData(stream, bytes, 0, ends);
  }

  cancel(stream: CallStream): void {
    if (stream.id === 0) this.#waiting = this.#waiting.filter(one => one !== stream);
    else this.#session.cancel(stream);
  }

  renew(stream: CallStream, bytes: number): void {
    this.#session.renew(stream, bytes);
  }
}
