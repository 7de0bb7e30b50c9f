/** Sends bodies within the flow control windows of the server. */
import { defaults, settings } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import type { Line } from './line.js';
import { data, endStream, padded, withPadding } from './client-frames.js';

const frameBytes = 16_384;
/** Bytes of the maximum padding, with its length byte. */
const maxPadding = 256;

interface Body {
  readonly stream: number;
  readonly bytes: number;
  /** Sends each byte in its own frame, with the maximum padding. */
  readonly padded?: true;
}

const minFrame = ({ padded: isPadded }: Body): number => (isPadded ? maxPadding + 1 : 1);

/** The uploads of one connection. */
export class Uploads {
  /** Largest number of bytes that a stream window allowed beyond the bytes sent. */
  maxAhead = 0;
  readonly #line: Line;
  readonly #sent = new Map<number, number>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** Returns how many bytes may be sent on a stream; 0: on the connection. */
  room(stream: number): number {
    const given = stream === 0 ? defaults.window : (this.#line.settings.get(settings.initialWindow) ?? defaults.window);
    return given + this.#line.windowIncrease(stream) - (this.#sent.get(stream) ?? 0);
  }

  /** Sends the bodies concurrently. A stream that ends meanwhile gets no more data. */
  async send(...bodies: readonly Body[]): Promise<void> {
    const left = new Map(bodies.map(body => [body, body.bytes]));
    while (left.size > 0) {
      for (const [body, rest] of left) {
        const next = rest - this.#piece(body, rest);
        if (next === 0 || this.#line.reply(body.stream).end !== undefined) left.delete(body);
        else left.set(body, next);
      }
      await until(
        'the server has room',
        () => this.#line.closed || left.size === 0 || this.#canSend([...left.keys()]),
        10_000,
      );
      if (this.#line.closed) throw new Error(`the connection ended: ${this.#line.goAway}`);
    }
  }

  #canSend(bodies: readonly Body[]): boolean {
    const over = ({ stream }: Body): boolean => this.#line.reply(stream).end !== undefined;
    const room = (body: Body): number => Math.min(this.room(0), this.room(body.stream));
    return bodies.some(body => over(body) || room(body) >= minFrame(body));
  }

  /** Sends at most one frame within the windows, and returns the number of content bytes in it. */
  #piece(body: Body, rest: number): number {
    const { stream, padded: isPadded } = body;
    const room = Math.min(this.room(stream), this.room(0));
    this.maxAhead = Math.max(this.maxAhead, this.room(stream));
    if (room < minFrame(body)) return 0;
    const size = isPadded ? 1 : Math.min(rest, room, frameBytes);
    const last = size === rest ? endStream : 0;
    const content = Buffer.alloc(size);
    this.#line.send(
      isPadded ? data(stream, withPadding(content, maxPadding - 1), last | padded) : data(stream, content, last),
    );
    const counted = isPadded ? size + maxPadding : size;
    for (const id of [0, stream]) this.#sent.set(id, (this.#sent.get(id) ?? 0) + counted);
    return size;
  }
}
