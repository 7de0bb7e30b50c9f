import type { Duplex } from 'node:stream';
import { ChurnMap } from '../collections/churn-map.js';
import type { Lane } from '../turn-queue.js';
import { errorCodes, Http2Error } from './error.js';
import { FrameWriter } from './frame-writer.js';
import {
  checkShape,
  defaults,
  flags,
  type Frame,
  frame,
  FrameReader,
  frameTypes,
  maxWindow,
  numberFrame,
  preface,
  readSettings,
  type SettingPairs,
  settingsFrame,
} from './frames.js';
import { HeaderBlocks, type HeaderBlock } from './header-blocks.js';
import { ReceiveWindow } from './receive-window.js';
import { Sender, type SendingStream } from './sender.js';

/**
 * What differs between the two sides of a connection. The `on` methods are called for received frames that are valid as far as their form, the header
 * blocks and the windows go. They throw an Http2Error for a violation of the protocol that ends the connection.
 */
export interface ConnectionHandler<S extends SendingStream> {
  /** Takes a complete header block, on a stream that may be new, open or over. */
  onHeaders(headers: HeaderBlock): void;
  /** Takes DATA. `stream` is undefined when it is over. The handler calls `release` for the whole payload, now or when it is processed. */
  onData(stream: S | undefined, frame: Frame): void;
  /** Takes the reset of an open stream. */
  onReset(stream: S, code: number): void;
  onGoAway(payload: Buffer): void;
  /** Takes settings, which are acknowledged already; those about windows and frames were applied. */
  onSettings(pairs: SettingPairs): void;
  /** Takes the answer to a PING. */
  onPong(payload: Buffer): void;
  /** Resets a stream whose window the peer enlarged by nothing or beyond the limit. */
  refuse(id: number, code: number): void;
  /** Returns a stream that ended in this turn of the event loop, and whose window is still checked. */
  ending?(id: number): S | undefined;
  /** Ends the connection: `error` is an Http2Error for a violation of the protocol, and anything else is a bug. */
  fail(error: unknown): void;
}

export interface Http2ConnectionOptions {
  /** A connected socket that has agreed on HTTP/2. The connection reads from it; the owner handles its end. */
  readonly socket: Duplex;
  readonly side: 'server' | 'client';
  /** Settings for the peer. */
  readonly settings: SettingPairs;
  /** Bytes that the peer may send on all streams together, and processed bytes after which it may send more. */
  readonly window: number;
  readonly renewAfter: number;
  /** The largest payload of a frame that is accepted: the value of the setting. */
  readonly maxFrame: number;
  /** Bytes of one list of headers that are read. */
  readonly maxHeaderBytes: number;
  /** Bytes in the socket above which no DATA is sent. Default: no limit. */
  readonly maxUnsent?: number;
  /** Bytes in the socket above which nothing is read from it. Default: no limit. */
  readonly pauseAbove?: number;
  /** PINGs are answered with the next frames instead of at the end of the turn. */
  readonly delaysPongs?: boolean;
  /** The socket is read in the turns of this lane. Default: whenever data has arrived. */
  readonly lane?: Lane;
}

const nothing = Buffer.alloc(0);
/** The first bytes of an answer by a server that does not speak HTTP/2. */
const http1 = 'HTTP/';

/**
 * One HTTP/2 connection (RFC 9113), as far as both sides are alike: the preface, the frames and their validity, header blocks, SETTINGS, PING, and the
 * windows in both directions. Requests, answers, their errors and the end of the connection belong to the handler.
 *
 * All that is sent in one turn of the event loop is one write.
 */
export class Http2Connection<S extends SendingStream> {
  readonly writer: FrameWriter;
  readonly sender: Sender;
  /** The open streams. */
  readonly streams = new ChurnMap<number, S>();
  readonly #handler: ConnectionHandler<S>;
  readonly #socket: Duplex;
  readonly #reader: FrameReader;
  readonly #blocks: HeaderBlocks;
  readonly #window: ReceiveWindow;
  readonly #pauseAbove: number;
  readonly #delaysPongs: boolean;
  readonly #lane: Lane | undefined;
  readonly #peer: 'server' | 'client';
  /** Bytes of the client's preface that have not come yet. */
  #missing: number;
  #hasSettings = false;
  #isPaused = false;
  #waitsForTurn = false;
  #isOver = false;
  /** The newest stream that the client has begun. */
  newest = 0;
  /** The last stream that is served. Frames on later ones are ignored. */
  lastServed = Infinity;
  /** The number of chunks received so far. */
  chunks = 0;

  /** Sends the preface and the settings. */
  constructor(handler: ConnectionHandler<S>, options: Http2ConnectionOptions) {
    const { socket, side, window, maxUnsent = Infinity } = options;
    this.#handler = handler;
    this.#socket = socket;
    this.#reader = new FrameReader(options.maxFrame);
    this.#blocks = new HeaderBlocks(options.maxHeaderBytes);
    this.#window = new ReceiveWindow(window, options.renewAfter);
    this.#pauseAbove = options.pauseAbove ?? Infinity;
    this.#delaysPongs = options.delaysPongs ?? false;
    this.#lane = options.lane;
    this.#peer = side === 'server' ? 'client' : 'server';
    this.#missing = side === 'server' ? preface.length : 0;
    this.writer = new FrameWriter(socket, () => this.#drained());
    this.sender = new Sender(this.writer, maxUnsent);
    if (side === 'client') this.writer.write(preface);
    this.writer.write(settingsFrame(options.settings));
    this.writer.write(numberFrame(frameTypes.windowUpdate, 0, window - defaults.window));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** The connection was ended by this side, or is gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Processes and counts nothing more. Returns the streams that were open. */
  end(): readonly S[] {
    this.#isOver = true;
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const { id } of streams) this.sender.forget(id);
    return streams;
  }

  /** Removes a stream that is over. */
  remove({ id }: S): void {
    this.streams.delete(id);
    this.sender.forget(id);
  }

  /** Returns an open stream; undefined when it is over. Throws an Http2Error when it never began. */
  streamOf(id: number): S | undefined {
    const stream = this.streams.get(id);
    if (stream === undefined && (id > this.newest || id % 2 === 0) && id <= this.lastServed)
      throw new Http2Error(errorCodes.protocol, `HTTP/2: stream ${id} never began`);
    return stream;
  }

  /** Sends a RST_STREAM. */
  reset(id: number, code: number): void {
    if (!this.#isOver) this.writer.write(numberFrame(frameTypes.resetStream, id, code));
  }

  /** Lets the peer send so many more bytes on a stream. */
  renew(id: number, bytes: number): void {
    this.writer.write(numberFrame(frameTypes.windowUpdate, id, bytes));
  }

  /** Counts bytes of DATA that are processed: the peer may send others in their place. */
  release(bytes: number): void {
    const due = this.#window.release(bytes);
    if (due > 0 && !this.#isOver) this.renew(0, due);
  }

  #drained(): void {
    if (this.#isOver) return;
    // The socket is read before the streams continue: a peer with large windows would not be heard until it has all its data.
    if (this.#isPaused && !this.sender.isFull) {
      this.#isPaused = false;
      if (!this.#waitsForTurn) this.#socket.resume();
    }
    this.sender.flow();
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return;
    this.chunks++;
    try {
      this.#reader.push(this.#hasSettings ? chunk : this.#begin(chunk), this.#take);
    } catch (error) {
      this.#handler.fail(error);
    }
    if (this.#isOver) return;
    if (this.writer.waiting >= this.#pauseAbove) {
      this.#isPaused = true;
      this.#socket.pause();
    }
    if (this.#lane !== undefined && !this.#lane.turns.isFree) this.#waitForTurn(this.#lane);
  }

  /** Reads nothing more until it is the turn of this connection. */
  #waitForTurn(lane: Lane): void {
    if (this.#waitsForTurn) return;
    this.#waitsForTurn = true;
    this.#socket.pause();
    lane.defer(() => {
      this.#waitsForTurn = false;
      if (!this.#isPaused && !this.#isOver) this.#socket.resume();
    });
  }

  /** Returns the part of a chunk that follows the preface. */
  #begin(chunk: Buffer): Buffer {
    if (this.#peer === 'server' && chunk.toString('latin1', 0, http1.length) === http1)
      throw new Http2Error(errorCodes.protocol, 'it speaks HTTP/1');
    if (this.#missing === 0) return chunk;
    const from = preface.length - this.#missing;
    const part = chunk.subarray(0, this.#missing);
    if (!part.equals(preface.subarray(from, from + part.length)))
      throw new Http2Error(errorCodes.protocol, 'HTTP/2: no preface');
    this.#missing -= part.length;
    return chunk.subarray(part.length);
  }

  /** hot: every frame. */
  readonly #take = (received: Frame): void => {
    if (this.#isOver) return;
    const { type, stream: id, payload } = received;
    if (!this.#hasSettings && type !== frameTypes.settings)
      throw new Http2Error(errorCodes.protocol, 'HTTP/2: no settings at the start');
    checkShape(received);
    const headers = this.#blocks.take(received);
    if (headers !== undefined) return this.#handler.onHeaders(headers);
    if (type === frameTypes.data) return this.#data(received);
    if (type === frameTypes.windowUpdate) return this.#windowUpdate(id, payload.readUInt32BE(0) & maxWindow);
    if (type === frameTypes.settings) return this.#settings(received);
    if (type === frameTypes.ping) return this.#ping(received);
    if (type === frameTypes.resetStream) return this.#resetByPeer(id, payload.readUInt32BE(0));
    if (type === frameTypes.goAway) return this.#handler.onGoAway(payload);
    if (type === frameTypes.pushPromise) throw new Http2Error(errorCodes.protocol, `HTTP/2: a push by a ${this.#peer}`);
  };

  #data(received: Frame): void {
    if (!this.#window.receive(received.payload.length))
      throw new Http2Error(errorCodes.flowControl, 'HTTP/2: more data than allowed');
    this.#handler.onData(this.streamOf(received.stream), received);
  }

  #windowUpdate(id: number, bytes: number): void {
    if (id === 0) {
      if (bytes === 0) throw new Http2Error(errorCodes.protocol, 'HTTP/2: a window that does not grow');
      if (!this.sender.allow(bytes)) throw new Http2Error(errorCodes.flowControl, 'HTTP/2: an impossible window');
      return;
    }
    const stream = this.streamOf(id) ?? this.#handler.ending?.(id);
    if (stream === undefined) return;
    if (bytes === 0) this.#handler.refuse(id, errorCodes.protocol);
    else if (!this.sender.allowStream(stream, bytes)) this.#handler.refuse(id, errorCodes.flowControl);
  }

  #settings({ payload, flags: flag }: Frame): void {
    if ((flag & flags.ack) !== 0) {
      if (payload.length > 0) throw new Http2Error(errorCodes.frameSize, 'HTTP/2: an acknowledgement with settings');
      return;
    }
    this.#hasSettings = true;
    this.writer.write(frame(frameTypes.settings, flags.ack, 0, nothing));
    const pairs = readSettings(payload, this.#peer);
    if (!this.sender.apply(pairs, this.streams.values()))
      throw new Http2Error(errorCodes.flowControl, 'HTTP/2: an impossible window');
    this.#handler.onSettings(pairs);
  }

  #ping({ payload, flags: flag }: Frame): void {
    if ((flag & flags.ack) !== 0) return this.#handler.onPong(payload);
    const pong = frame(frameTypes.ping, flags.ack, 0, payload);
    if (this.#delaysPongs) this.writer.writeSoon(pong);
    else this.writer.write(pong);
  }

  #resetByPeer(id: number, code: number): void {
    const stream = this.streamOf(id);
    if (stream !== undefined) this.#handler.onReset(stream, code);
  }
}
