/** Sends bodies as a client should: never more than the server's windows have room for. */
import { settings, usual } from '../../../../lib/http2/frames.js';
import { until } from '../../../storage/until.js';
import type { Line } from './line.js';
import { data, endStream, padded, withPadding } from './words.js';

const frameBytes = 16_384;
/** The byte that says how much there is, and as much as there can be. */
const maxPadding = 256;

export interface Body {
  readonly stream: number;
  readonly bytes: number;
  /** Each byte in a frame of its own, with as much padding as there can be. */
  readonly padded?: true;
}

const least = ({ padded: wasteful }: Body): number => (wasteful ? maxPadding + 1 : 1);

/** The bodies of one connection. */
export class Uploads {
  /** The most that the server ever let be sent on one stream beyond what was. */
  maxAhead = 0;
  readonly #line: Line;
  readonly #sent = new Map<number, number>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** Bytes that may be sent on a stream; 0: on the connection. */
  room(stream: number): number {
    const given = stream === 0 ? usual.window : (this.#line.settings.get(settings.initialWindow) ?? usual.window);
    return given + this.#line.widened(stream) - (this.#sent.get(stream) ?? 0);
  }

  /** Sends them side by side. A stream that ended meanwhile wants no more. */
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
    return bodies.some(body => over(body) || room(body) >= least(body));
  }

  /** Sends what there is room for, one frame at most; how much of the content that was. */
  #piece(body: Body, rest: number): number {
    const { stream, padded: wasteful } = body;
    const room = Math.min(this.room(stream), this.room(0));
    this.maxAhead = Math.max(this.maxAhead, this.room(stream));
    if (room < least(body)) return 0;
    const size = wasteful ? 1 : Math.min(rest, room, frameBytes);
    const last = size === rest ? endStream : 0;
    const content = Buffer.alloc(size);
    this.#line.say(
      wasteful ? data(stream, withPadding(content, maxPadding - 1), last | padded) : data(stream, content, last),
    );
    const counted = wasteful ? size + maxPadding : size;
    for (const id of [0, stream]) this.#sent.set(id, (this.#sent.get(id) ?? 0) + counted);
    return size;
  }
}
