import { ChurnMap } from '../../../lib/collections/churn-map.js';
import { flags, frame, frameTypes, largestWindow, settings, usual } from '../../../lib/http2/frames.js';
import { defaultTableSize } from '../../../lib/http2/hpack.js';
import { literalHeaders } from '../../../lib/http2/literal-headers.js';
import type { FrameWriter } from '../../../lib/http2/frame-writer.js';
import type { ResponseHeaders } from '../../interface.js';
import { httpDate } from './http-date.js';
import type { ServerStream } from './stream.js';

/** Bytes on their way above which no more of bodies follows: watches shall not wait for long lists, but one event may go to all streams. */
const fullSocket = 1024 * 1024;
/** Of bodies, whatever else the client allows. */
const longestFrame = 64 * 1024;

/** What a session says: answers, as far as the windows of the client and the socket allow (RFC 9113, 5.2). */
export class Sender {
  readonly #outgoing: FrameWriter;
  /** How much may be sent on all streams together. */
  #window: number = usual.window;
  /** What the client allows every stream. A stream knows what it was allowed beyond that, so that a change costs nothing. */
  #initialWindow: number = usual.window;
  #maxFrame: number = usual.maxFrame;
  /** Streams that have more to say, and whose own windows are not what holds them; in the order in which they go on. */
  readonly #blocked = new ChurnMap<number, ServerStream>();
  /** The client remembers fewer headers than is usual, and has to be told that we count on none of them. */
  #isTableSmaller = false;

  constructor(outgoing: FrameWriter) {
    this.#outgoing = outgoing;
  }

  get isFull(): boolean {
    return this.#outgoing.waiting >= fullSocket;
  }

  /** hot. */
  head(id: number, status: number, headers: ResponseHeaders, ends: boolean): void {
    if (status >= 200) headers['date'] ??= httpDate(Date.now());
    const block = literalHeaders(status, headers, this.#isTableSmaller);
    this.#isTableSmaller = false;
    const last = ends ? flags.endStream : 0;
    if (block.length <= this.#maxFrame) {
      this.#outgoing.writeHead(block.length, frameTypes.headers, last | flags.endHeaders, id);
      this.#outgoing.write(block);
      return;
    }
    let [type, flag]: [number, number] = [frameTypes.headers, last];
    let at = 0;
    for (; block.length - at > this.#maxFrame; at += this.#maxFrame) {
      this.#outgoing.write(frame(type, flag, id, block.subarray(at, at + this.#maxFrame)));
      [type, flag] = [frameTypes.continuation, 0];
    }
    this.#outgoing.write(frame(type, flags.endHeaders, id, block.subarray(at)));
  }

  /** hot: as much of the bytes, from there on, as may be sent now. Answers where it stopped. */
  send(stream: ServerStream, bytes: Buffer, from: number, ends: boolean): number {
    let at = from;
    while (at < bytes.length) {
      const own = this.#initialWindow + stream.allowance;
      if (own <= 0) return at;
      if (this.#window <= 0 || this.isFull) {
        this.#blocked.set(stream.id, stream);
        return at;
      }
      const size = Math.min(bytes.length - at, own, this.#window, this.#maxFrame, longestFrame);
      const isLast = ends && at + size === bytes.length;
      this.#outgoing.writeHead(size, frameTypes.data, isLast ? flags.endStream : 0, stream.id);
      this.#outgoing.write(size === bytes.length ? bytes : bytes.subarray(at, at + size));
      this.#window -= size;
      stream.allowance -= size;
      at += size;
    }
    if (ends && bytes.length === 0) this.#outgoing.writeHead(0, frameTypes.data, flags.endStream, stream.id);
    return at;
  }

  /** Streams that had to wait go on, in turns: whoever has to wait again is the last. */
  flow(): void {
    for (const stream of this.#blocked.values()) {
      if (this.#window <= 0 || this.isFull) return;
      this.#blocked.delete(stream.id);
      stream.flow();
    }
  }

  forget(stream: ServerStream): void {
    this.#blocked.delete(stream.id);
  }

  /** The client allows so much more on all streams together. False: that is more than can be. */
  allow(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > largestWindow) return false;
    this.flow();
    return true;
  }

  /** And on one stream. */
  allowStream(stream: ServerStream, bytes: number): boolean {
    stream.allowance += bytes;
    if (this.#initialWindow + stream.allowance > largestWindow) return false;
    this.#unblock(stream);
    return true;
  }

  #unblock(stream: ServerStream): void {
    if (!stream.hasQueue || this.#initialWindow + stream.allowance <= 0) return;
    this.#blocked.set(stream.id, stream);
    this.flow();
  }

  /** False: the window of a stream is more than can be. */
  set(pairs: readonly (readonly [id: number, value: number])[], streams: Iterable<ServerStream>): boolean {
    const before = this.#initialWindow;
    for (const [id, value] of pairs) {
      if (id === settings.initialWindow) this.#initialWindow = value;
      else if (id === settings.maxFrame) this.#maxFrame = value;
      else if (id === settings.headerTableSize && value < defaultTableSize) this.#isTableSmaller = true;
    }
    if (this.#initialWindow <= before) return true;
    for (const stream of streams) {
      if (this.#initialWindow + stream.allowance > largestWindow) return false;
      this.#unblock(stream);
    }
    return true;
  }
}
