import type { TLSSocket } from 'node:tls';
import { ClientSession } from '../../../../lib/http2/client-session.js';
import { defaults, settings } from '../../../../lib/http2/frames.js';
import { RequestHeaderWriter } from '../../../../lib/http2/request-headers.js';
import { transportError } from '../transport-error.js';
import { turns } from '../../turns.js';
import type { RequestStream, StreamConnection } from './request-stream.js';

export interface SessionLimits {
  /** Bytes that the server may send on one stream, and on all streams together, before they have been read. */
  readonly streamWindow: number;
  readonly window: number;
}

interface SessionOptions extends SessionLimits {
  /** A socket whose TLS handshake agreed on HTTP/2. */
  readonly socket: TLSSocket;
  /** `host:port` */
  readonly authority: string;
  /** Called when the server has sent its settings: requests can begin. */
  readonly ready: () => void;
  /** Called when another request may begin. */
  readonly freed: () => void;
  /** Called when the session takes no more requests. */
  readonly retired: () => void;
  /** Called once, when the connection is closed. */
  readonly closed: (error: Error) => void;
}

/** Streams at a time on one connection, even if the server allows more. as the default of API servers since golang.org/x/net 2023 */
const maxStreams = 250;
/** Streams that requests without a long answer always find free of those that have one. */
const reservedStreams = 32;
/** Bytes of the headers of one answer. */
const maxHeaderBytes = 64 * 1024;
/** Bytes in the socket above which no DATA is sent, and above which nothing is read. */
const maxUnsent = 1024 * 1024;
const pauseAbove = 2 * 1024 * 1024;
/**
 * Milliseconds between two looks at a connection: a silence of 15 to 30 s is followed by a ping, and an idle connection is closed after 30 to 45 s.
 * A vanished server is noticed within the 45 s of client-go (k8s.io/apimachinery/pkg/util/net readIdleTimeoutSeconds, pingTimeoutSeconds).
 */
const pulseMs = 15_000;
const answerMs = 15_000;
const idleMs = 30_000;

/** The requests on one HTTP/2 connection to a server. */
export class RequestSession implements StreamConnection {
  readonly streamWindow: number;
  readonly #authority: string;
  readonly #socket: TLSSocket;
  readonly #session: ClientSession<RequestStream>;
  readonly #headers = new RequestHeaderWriter();
  readonly #idle: NodeJS.Timeout;
  #long = 0;
  #idleSince = performance.now();
  /** The number of requests that have begun. */
  served = 0;

  constructor({ socket, authority, streamWindow, window, ...callbacks }: SessionOptions) {
    this.streamWindow = streamWindow;
    this.#authority = authority;
    this.#socket = socket;
    this.#idle = setInterval(() => this.#closeIfIdle(), pulseMs).unref();
    this.#session = new ClientSession<RequestStream>({
      socket,
      settings: [
        [settings.initialWindow, streamWindow],
        [settings.maxHeaders, maxHeaderBytes],
      ],
      ...{ window, maxHeaderBytes, maxUnsent, pauseAbove, answerMs },
      renewAfter: window / 8,
      maxFrame: defaults.maxFrame,
      lane: turns.lane(),
      holdsData: true,
      silenceMs: pulseMs,
      limitTable: bytes => this.#headers.limit(bytes),
      ready: callbacks.ready,
      freed: callbacks.freed,
      retired: callbacks.retired,
      closed: error => {
        clearInterval(this.#idle);
        callbacks.closed(transportError(error));
      },
    });
  }

  get received(): number {
    return this.#session.received;
  }

  /** The server allows no streams at present. */
  get allowsNone(): boolean {
    return this.#session.maxStreams === 0;
  }

  /** Returns whether a request may begin now. `isLong`: its answer lasts. */
  hasRoom(isLong: boolean): boolean {
    const { hasRoom, size } = this.#session;
    if (!hasRoom || size >= maxStreams) return false;
    if (!isLong) return true;
    const max = Math.min(maxStreams, this.#session.maxStreams);
    return this.#long < max - Math.min(reservedStreams, Math.floor(max / 2));
  }

  /** hot: sends a request. The caller has checked `hasRoom`. */
  begin(stream: RequestStream): void {
    const { request, fields, hasBody } = stream;
    const { method, path, isLong } = request;
    if (this.#session.size === 0) this.#socket.ref();
    this.#session.begin(stream);
    this.served++;
    if (isLong) this.#long++;
    const block = this.#headers.write({ method, scheme: 'https', authority: this.#authority, path }, fields);
    this.#session.sendHeaders(stream, block, !hasBody);
    stream.begin(this);
  }

  /** Counts a request that has ended. */
  ended({ request }: RequestStream): void {
    if (request.isLong) this.#long--;
    if (this.#session.size > 0) return;
    this.#idleSince = performance.now();
    // An idle connection does not keep the process alive.
    this.#socket.unref();
  }

  #closeIfIdle(): void {
    if (this.#session.size === 0 && performance.now() - this.#idleSince >= idleMs) this.retire();
  }

  retire(): void {
    this.#session.retire();
  }

  close(error: Error): void {
    this.#session.close(error);
  }

  sendData(stream: RequestStream, bytes: Buffer, from: number, ends: boolean): number {
    return this.#session.sendData(stream, bytes, from, ends);
  }

  cancel(stream: RequestStream, code?: number): void {
    this.#session.cancel(stream, code);
  }

  renew(stream: RequestStream, bytes: number): void {
    this.#session.renew(stream, bytes);
  }

  release(bytes: number): void {
    this.#session.release(bytes);
  }
}
