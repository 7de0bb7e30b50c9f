import { ChurnMap } from '../collections/churn-map.js';
import type { FrameWriter } from './frame-writer.js';
import { defaults, flags, frameTypes, maxWindow, type SettingPairs, settings } from './frames.js';

/** A stream as its sender sees it. */
export interface SendingStream {
  readonly id: number;
  /** Bytes that the peer allows on this stream beyond the initial window of all streams, less those that were sent. */
  allowance: number;
  /** Data waits to be sent. */
  readonly hasQueue: boolean;
  /** Sends as much of the waiting data as may be sent now. */
  flow(): void;
}

/** Bytes of DATA in one frame, whatever else the peer allows. */
const maxData = 64 * 1024;

/** Sends header blocks and data on the streams of a connection, as far as the peer's windows and the socket allow (RFC 9113, section 5.2). */
export class Sender {
  readonly #writer: FrameWriter;
  readonly #maxUnsent: number;
  /** Bytes that may be sent on all streams together. */
  #window: number = defaults.window;
  /** The peer's initial window of every stream. Streams count relative to it, so that a change of it costs nothing. */
  #initialWindow: number = defaults.window;
  #maxFrame: number = defaults.maxFrame;
  /** Streams whose data waits for the connection's window or for the socket, in the order in which they continue. */
  readonly #blocked = new ChurnMap<number, SendingStream>();

  /** `maxUnsent`: bytes in the socket above which no DATA is sent. */
  constructor(writer: FrameWriter, maxUnsent: number) {
    this.#writer = writer;
    this.#maxUnsent = maxUnsent;
  }

  /** The socket has so many unsent bytes that no DATA follows. */
  get isFull(): boolean {
    return this.#writer.waiting >= this.#maxUnsent;
  }

  /** hot: sends a header block, in several frames if it is too large for one. The block is copied. */
  headers(id: number, block: Buffer, ends: boolean): void {
    const last = ends ? flags.endStream : 0;
    if (block.length <= this.#maxFrame) return this.#part(frameTypes.headers, last | flags.endHeaders, id, block);
    this.#part(frameTypes.headers, last, id, block.subarray(0, this.#maxFrame));
    let at = this.#maxFrame;
    for (; block.length - at > this.#maxFrame; at += this.#maxFrame)
      this.#part(frameTypes.continuation, 0, id, block.subarray(at, at + this.#maxFrame));
    this.#part(frameTypes.continuation, flags.endHeaders, id, block.subarray(at));
  }

  #part(type: number, flag: number, id: number, payload: Buffer): void {
    this.#writer.writeHead(payload.length, type, flag, id);
    this.#writer.write(payload);
  }

  /** hot: sends as much of the bytes, from `from` on, as may be sent now, and copies it. Returns the index of the first byte that was not sent. */
  data(stream: SendingStream, bytes: Buffer, from: number, ends: boolean): number {
    let at = from;
    while (at < bytes.length) {
      const own = this.#initialWindow + stream.allowance;
      if (own <= 0) return at;
      if (this.#window <= 0 || this.isFull) {
        this.#blocked.set(stream.id, stream);
        return at;
      }
      const size = Math.min(bytes.length - at, own, this.#window, this.#maxFrame, maxData);
      const isLast = ends && at + size === bytes.length;
      this.#writer.writeHead(size, frameTypes.data, isLast ? flags.endStream : 0, stream.id);
      this.#writer.write(size === bytes.length ? bytes : bytes.subarray(at, at + size));
      this.#window -= size;
      stream.allowance -= size;
      at += size;
    }
    if (ends && bytes.length === 0) this.#writer.writeHead(0, frameTypes.data, flags.endStream, stream.id);
    return at;
  }

  /** hot: sends two parts as the payload of one DATA frame, without joining them. Returns false, and sends nothing, unless both may be sent now. */
  wholeData(stream: SendingStream, first: Uint8Array, second: Uint8Array, ends: boolean): boolean {
    const size = first.length + second.length;
    if (size > Math.min(this.#window, this.#initialWindow + stream.allowance, this.#maxFrame)) return false;
    this.#writer.writeHead(size, frameTypes.data, ends ? flags.endStream : 0, stream.id);
    this.#writer.write(first);
    this.#writer.write(second);
    this.#window -= size;
    stream.allowance -= size;
    return true;
  }

  /** Continues the blocked streams in turns: a stream that is blocked again becomes the last one. */
  flow(): void {
    if (this.#blocked.size === 0) return;
    for (const stream of this.#blocked.values()) {
      if (this.#window <= 0 || this.isFull) return;
      this.#blocked.delete(stream.id);
      stream.flow();
    }
  }

  /** Sends nothing more on a stream. */
  forget(id: number): void {
    this.#blocked.delete(id);
  }

  /** Enlarges the window of the connection. Returns false when it exceeds the limit of the protocol. */
  allow(bytes: number): boolean {
    this.#window += bytes;
    if (this.#window > maxWindow) return false;
    this.flow();
    return true;
  }

  /** Enlarges the window of a stream. Returns false when it exceeds the limit of the protocol. */
  allowStream(stream: SendingStream, bytes: number): boolean {
    stream.allowance += bytes;
    if (this.#initialWindow + stream.allowance > maxWindow) return false;
    this.#unblock(stream);
    return true;
  }

  #unblock(stream: SendingStream): void {
    if (!stream.hasQueue || this.#initialWindow + stream.allowance <= 0) return;
    this.#blocked.set(stream.id, stream);
    this.flow();
  }

  /** Applies settings of the peer. Returns false when the window of a stream exceeds the limit of the protocol. */
  apply(pairs: SettingPairs, streams: Iterable<SendingStream>): boolean {
    const before = this.#initialWindow;
    for (const [id, value] of pairs) {
      if (id === settings.initialWindow) this.#initialWindow = value;
      else if (id === settings.maxFrame) this.#maxFrame = value;
    }
    if (this.#initialWindow <= before) return true;
    for (const stream of streams) {
      if (this.#initialWindow + stream.allowance > maxWindow) return false;
      this.#unblock(stream);
    }
    return true;
  }
}
