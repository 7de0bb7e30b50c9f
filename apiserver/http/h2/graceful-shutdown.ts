import { errorCodes, type Http2Error } from '../../../lib/http2/error.js';
import { frame, frameTypes, maxWindow } from '../../../lib/http2/frames.js';
import type { FrameWriter } from '../../../lib/http2/frame-writer.js';

/** Milliseconds until the client has to acknowledge the end of the connection, and again until it has to close the connection. */
export const gracefulShutdownMs = 1000;

/** The payload of the PING that follows a GOAWAY. */
const pingPayload = Buffer.from('goodbye.');

/** The part of a connection that its shutdown uses. */
interface Connection {
  readonly writer: FrameWriter;
  /** The newest stream of the client. */
  readonly newest: number;
  /** The last stream that is served. */
  lastServed: number;
}

/**
 * The end of a connection, at which no request is refused that the client may take for processed (RFC 9113, section 6.8):
 *
 *     GOAWAY (any stream), PING  ─▶  requests that the client began before it received them are served
 *     the PING comes back        ─▶  GOAWAY (the newest stream): later streams are ignored, the client may repeat them elsewhere
 */
export class GracefulShutdown {
  readonly #connection: Connection;
  readonly #concluded: () => void;
  #isBegun = false;

  /** `concluded` is called when the client was told the last stream. */
  constructor(connection: Connection, concluded: () => void) {
    this.#connection = connection;
    this.#concluded = concluded;
  }

  /** The client was told the last stream that is served. */
  get isConcluded(): boolean {
    return this.#connection.lastServed < Infinity;
  }

  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#goAway(maxWindow, errorCodes.none);
    this.#connection.writer.write(frame(frameTypes.ping, 0, 0, pingPayload));
    setTimeout(() => this.#conclude(), gracefulShutdownMs).unref();
  }

  /** Takes the payload of an answer to a PING. */
  acknowledge(payload: Buffer): void {
    if (this.#isBegun && payload.equals(pingPayload)) this.#conclude();
  }

  /** Tells the client about its violation of the protocol. No stream is served after that. */
  fail({ code, message }: Http2Error): void {
    this.#connection.lastServed = 0;
    this.#goAway(this.#connection.newest, code, message);
  }

  #conclude(): void {
    if (this.isConcluded) return;
    this.#connection.lastServed = this.#connection.newest;
    this.#goAway(this.#connection.lastServed, errorCodes.none);
    this.#concluded();
  }

  #goAway(last: number, code: number, reason = ''): void {
    const payload = Buffer.alloc(8 + reason.length);
    payload.writeUInt32BE(last, 0);
    payload.writeUInt32BE(code, 4);
    payload.write(reason, 8, 'latin1');
    this.#connection.writer.write(frame(frameTypes.goAway, 0, 0, payload));
  }
}
