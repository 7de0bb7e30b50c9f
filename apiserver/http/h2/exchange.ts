import { errorCodes } from '../../../lib/http2/error.js';
import type { Lane } from '../../../lib/turn-queue.js';
import type { HttpExchange, Peer, ResponseHeaders, ResponseStream } from '../../interface.js';
import { carriesBody } from '../body.js';
import type { ClientConnection } from '../connections/client-connection.js';
import type { RequestHead, RequestHeaders } from './request-head.js';
import type { ServerSession } from './session.js';
import type { ServerStream } from './stream.js';

/** hot: a request over an HTTP/2 stream. */
export class Http2Exchange implements HttpExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly rawHeaders: readonly string[];
  readonly peer: Peer;
  readonly lane: Lane;
  readonly protocol = 'HTTP/2.0';
  readonly upgrades = undefined;
  readonly #stream: ServerStream;
  readonly #session: ServerSession;
  #answered = false;
  #onAnswer: ((status: number) => void) | undefined;

  constructor(stream: ServerStream, head: RequestHead, session: ServerSession, { peer, lane }: ClientConnection) {
    const { target } = head;
    const mark = target.indexOf('?');
    this.method = head.method;
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    this.headers = head.headers;
    this.rawHeaders = head.raw;
    this.peer = peer;
    this.lane = lane;
    this.#stream = stream;
    this.#session = session;
  }

  get answered(): boolean {
    return this.#answered;
  }

  body(limit: number): Promise<Buffer> {
    this.#invite();
    return this.#stream.body.whole(this.#stream.declared, limit);
  }

  incoming(): AsyncIterable<Buffer> | undefined {
    this.#invite();
    const { body, declared } = this.#stream;
    return (body.isComplete && this.#stream.received === 0) || declared === 0 ? undefined : body.pieces();
  }

  respond(status: number, headers: ResponseHeaders, body: Buffer | undefined): void {
    if (!this.#begin(status)) return;
    if (carriesBody(status)) headers['content-length'] ??= body?.length ?? 0;
    const isEmpty = body === undefined || body.length === 0 || this.method === 'HEAD';
    this.#stream.head(status, headers, isEmpty);
    if (!isEmpty) this.#stream.end(body);
  }

  stream(status: number, headers: ResponseHeaders): ResponseStream {
    if (this.#begin(status)) this.#stream.head(status, headers, this.method === 'HEAD');
    return this.#stream;
  }

  abort(): void {
    this.#stream.reset(errorCodes.internal); // Without an error, the client would take the answer for complete.
  }

  /** Ends the session with its last stream; the client is notified with a GOAWAY. */
  leave(): void {
    this.#session.leave();
  }

  onAnswer(listener: (status: number) => void): void {
    this.#onAnswer = listener;
  }

  onClose(listener: () => void): void {
    this.#stream.onClose(listener);
  }

  takeOver(): undefined {
    return undefined;
  }

  /** Sends 100 (Continue) to a client that waits for it before it sends the body. */
  #invite(): void {
    if (this.headers['expect'] !== '100-continue' || this.#stream.body.isComplete || this.#answered) return;
    this.#stream.head(100, {}, false);
  }

  #begin(status: number): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.#onAnswer?.(status);
    return !this.#stream.closed;
  }
}
