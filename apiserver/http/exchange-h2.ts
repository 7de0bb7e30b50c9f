import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Exchange, Peer, ResponseHeaders, ResponseStream, Upgrade } from '../interface.js';
import { carriesBody, declaredLength, readBody, streamBody } from './body.js';
import { onePiece, WritableResponse, writeInPieces } from './response-stream.js';

/** hot: a request over an HTTP/2 stream. */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  readonly protocol = 'HTTP/2.0';
  readonly #stream: ServerHttp2Stream;
  readonly #withoutBody: boolean;
  readonly upgrades = undefined;
  #response: WritableResponse | undefined;
  #answered = false;
  #onAnswer: ((status: number) => void) | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    flags: number,
    peer: Peer,
  ) {
    const url = headers[':path'] ?? '/';
    const mark = url.indexOf('?');
    this.method = headers[':method'] ?? 'GET';
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
    this.headers = headers;
    this.rawHeaders = raw;
    this.peer = peer;
    this.#stream = stream;
    this.#withoutBody = (flags & 1) === 1; // END_STREAM
    stream.on('error', () => undefined); // resets by the client; 'close' follows
  }

  get answered(): boolean {
    return this.#answered;
  }

  body(limit: number): Promise<Buffer> {
    this.#invite();
    return readBody(this.#stream, this.#withoutBody ? 0 : declaredLength(this.headers['content-length']), limit);
  }

  incoming(): AsyncIterable<Buffer> | undefined {
    this.#invite();
    return this.#withoutBody || this.headers['content-length'] === '0' ? undefined : streamBody(this.#stream);
  }

  respond(status: number, headers: ResponseHeaders, body: Buffer | undefined): void {
    if (!this.#begin(status)) return;
    if (carriesBody(status)) headers['content-length'] ??= body?.length ?? 0;
    if (body === undefined || body.length === 0 || this.method === 'HEAD') {
      this.#send(status, headers, true);
      this.#rest();
      return;
    }
    this.#send(status, headers, false);
    if (body.length <= onePiece) this.#stream.end(body);
    else void writeInPieces((this.#response = new WritableResponse(this.#stream)), body);
    this.#rest();
  }

  stream(status: number, headers: ResponseHeaders): ResponseStream {
    const stream = (this.#response = new WritableResponse(this.#stream));
    if (!this.#begin(status)) return stream;
    this.#send(status, headers, this.method === 'HEAD');
    this.#rest();
    return stream;
  }

  abort(): void {
    this.#response?.cut();
    // Not now: nghttp2 may be in the middle of reading, and a reset has it send (https://github.com/nodejs/node/issues/64113).
    setImmediate(() => this.#stream.destroy(new Error('the answer broke off'))); // without an error all would seem well
  }

  /** The session goes with its last stream; the client is told (GOAWAY). */
  leave(): void {
    this.#stream.session?.close();
  }

  onAnswer(listener: (status: number) => void): void {
    this.#onAnswer = listener;
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }

  takeOver(): Upgrade | undefined {
    return undefined;
  }

  /** Some clients send a body only when they are told that it is wanted. */
  #invite(): void {
    if (this.headers['expect'] !== '100-continue' || this.#withoutBody || this.#answered) return;
    if (!this.#stream.destroyed && !this.#stream.closed) this.#stream.additionalHeaders({ ':status': 100 });
  }

  #send(status: number, headers: ResponseHeaders, endStream: boolean): void {
    const out: OutgoingHttpHeaders = headers;
    out[':status'] = status;
    this.#stream.respond(out, endStream ? { endStream } : undefined);
  }

  /** What is left of a request body that nobody reads. */
  #rest(): void {
    if (!this.#withoutBody) this.#stream.resume();
  }

  #begin(status: number): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#onAnswer?.(status);
    return !this.#stream.destroyed && !this.#stream.closed;
  }
}
