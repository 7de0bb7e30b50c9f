import { errorCodes, type Http2Error } from '../../../lib/http2/error.js';
import { frame, frameTypes, largestWindow } from '../../../lib/http2/frames.js';
import type { FrameWriter } from '../../../lib/http2/frame-writer.js';

/** Milliseconds in which a client says that it knows that the connection ends; as long it has time to end it. */
export const gracefulShutdownMs = 1000;

/** Of the PING that follows a GOAWAY. */
const lastPing = Buffer.from('goodbye.');

/**
 * How a connection ends without a request that might have been done, and is refused (RFC 9113, 6.8):
 *
 *     GOAWAY (any stream), PING  ─▶  requests that the client began before it heard of it are served
 *     the PING comes back        ─▶  GOAWAY (the newest stream): later ones are not looked at, the client may repeat them elsewhere
 */
export class GracefulShutdown {
  readonly #outgoing: FrameWriter;
  readonly #newest: () => number;
  readonly #said: () => void;
  #isBegun = false;
  /** The last stream that is served, once the client was told so. */
  last = Infinity;

  /** `newest`: the newest stream of the client. `said`: it was told which is the last. */
  constructor(outgoing: FrameWriter, newest: () => number, said: () => void) {
    this.#outgoing = outgoing;
    this.#newest = newest;
    this.#said = said;
  }

  get isSaid(): boolean {
    return this.last < Infinity;
  }

  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#goAway(largestWindow, errorCodes.none);
    this.#outgoing.write(frame(frameTypes.ping, 0, 0, lastPing));
    setTimeout(() => this.#conclude(), gracefulShutdownMs).unref();
  }

  /** A PING came back. */
  answered(payload: Buffer): void {
    if (this.#isBegun && payload.equals(lastPing)) this.#conclude();
  }

  /** At once, since the client said what may not be said. */
  fail({ code, message }: Http2Error): void {
    this.last = 0;
    this.#goAway(this.#newest(), code, message);
  }

  #conclude(): void {
    if (this.isSaid) return;
    this.last = this.#newest();
    this.#goAway(this.last, errorCodes.none);
    this.#said();
  }

  #goAway(last: number, code: number, why = ''): void {
    const payload = Buffer.alloc(8 + why.length);
    payload.writeUInt32BE(last, 0);
    payload.writeUInt32BE(code, 4);
    payload.write(why, 8, 'latin1');
    this.#outgoing.write(frame(frameTypes.goAway, 0, 0, payload));
  }
}
