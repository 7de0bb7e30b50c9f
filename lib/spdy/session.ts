import type { Duplex } from 'node:stream';
import { PeerProbe } from '../peer-probe.js';
import {
  controlFrame,
  dataHead,
  spdyFlags,
  spdyFrames,
  spdyHeadBytes,
  readHead,
  resetCodes,
  synStreamFrame,
  unaskedPing,
} from './frames.js';
import type { FrameHead } from './frames.js';
import { SpdyHeaderReader, SpdyHeaderWriter, maxHeaderBytes, type SpdyHeaders } from './header-blocks.js';
import { SpdyStream, type SpdyStreamOwner } from './stream.js';

interface SessionOptions {
  readonly isServer: boolean;
  /** Streams that the other side may have open at once; further ones are refused. */
  readonly maxStreams: number;
  /** Called for each stream that the other side opens. It is accepted already. */
  readonly onStream?: (stream: SpdyStream) => void;
  /** Milliseconds after which a server that waits for a reader looks whether the client is still there. */
  readonly probeMs?: number;
}

/** Bytes of one data frame that is sent. */
const maxDataBytes = 32 * 1024;
/** Milliseconds for which a closed connection waits for the other side. */
const lingerMs = 30_000;
/** Number of answers that may wait for a side that does not read them. */
const maxUnsentAnswers = 1000;
/** Maximum bytes of a control frame, and of a data frame, which arrives in parts and is passed on in parts. */
const maxControlBytes = maxHeaderBytes + 64;

/**
 * A connection of SPDY/3.1, after its upgrade. There are no windows, as in spdystream: a stream whose reader is behind stops the reading of the whole
 * connection, so that one stream holds at most its own buffer.
 */
export class SpdySession implements SpdyStreamOwner {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  readonly #options: SessionOptions;
  readonly #reader = new SpdyHeaderReader();
  readonly #writer = new SpdyHeaderWriter();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #held = new Set<SpdyStream>();
  #nextId: number;
  #lastRemoteId = 0;
  #unread: Buffer = Buffer.alloc(0);
  /** The data frame whose payload arrives. */
  #data: { readonly head: FrameHead; left: number } | undefined;
  #unsentAnswers = 0;
  #isParsing = false;
  #isGoingAway = false;
  /** The other side sends no more. */
  #isCutOff = false;
  readonly #probe: PeerProbe;
  #onClosed!: () => void;
  #isClosed = false;

  constructor(socket: Duplex, head: Buffer, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#nextId = options.isServer ? 2 : 1;
    this.#probe = new PeerProbe(() => this.#writeProbe(), options.probeMs);
    this.closed = new Promise(resolve => (this.#onClosed = resolve));
    // What has arrived is passed on before the streams end.
    const ended = (): void => {
      this.#isCutOff = true;
      if (!this.#isParsing && this.#held.size === 0) this.#closeCutOff();
    };
    socket.on('end', ended).on('close', ended);
    socket.on('close', () => this.#isClosed && this.#onClosed());
    // The input of a client that has broken the connection is dropped. The last output of a command is still delivered.
    socket.on('error', () => (options.isServer ? this.destroy() : socket.destroy()));
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    if (head.length > 0) this.#take(head);
  }

  /** Opens a stream. Its `accepted` tells when data may be sent. */
  open(headers: Readonly<Record<string, string>>): SpdyStream {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(this, id, new Map(Object.entries(headers).map(([name, value]) => [name, [value]])));
    if (this.#isClosed) stream.cut(new Error('the connection is closed'));
    else {
      this.#streams.set(id, stream);
      this.#socket.write(synStreamFrame(id, this.#writer.write(headers), 0));
    }
    return stream;
  }

  /** Closes the connection after everything that was written is sent. */
  close(): void {
    this.#close(stream => stream.cut(new Error('the connection is closed')));
  }

  destroy(): void {
    this.#end(stream => stream.cut(new Error('the connection is closed')));
    this.#socket.destroy();
  }

  /** Closes a connection that the other side has ended. */
  #closeCutOff(): void {
    if (this.#options.isServer) this.close();
    else this.#close(stream => stream.failAfterReading(new Error('the connection is closed')));
  }

  #close(endStream: (stream: SpdyStream) => void): void {
    if (this.#isClosed) return;
    this.#end(endStream);
    this.#socket.end();
    // What still arrives is dropped, so that the end of the other side is noticed. It may not come.
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.destroy(), lingerMs).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  send(stream: SpdyStream, chunk: Buffer, isEnd: boolean, done: (error?: Error | null) => void): void {
    if (this.#isClosed || !this.#streams.has(stream.id)) return done(new Error('the connection is closed'));
    let at = 0;
    this.#socket.cork();
    do {
      const part = chunk.subarray(at, at + maxDataBytes);
      at += part.length;
      const isLast = at >= chunk.length;
      this.#socket.write(dataHead(stream.id, isLast && isEnd ? spdyFlags.fin : 0, part.length));
      if (part.length > 0 && !isLast) this.#socket.write(part);
      else if (isLast) this.#socket.write(part, error => done(error));
    } while (at < chunk.length);
    this.#socket.uncork();
  }

  reset({ id }: SpdyStream, code: number): void {
    if (!this.#isClosed) this.#socket.write(controlFrame(spdyFrames.rstStream, [id, code]));
  }

  hold(stream: SpdyStream): void {
    this.#held.add(stream);
    this.#socket.pause();
    // A server that has sent its last output and has closed the connection would reset it then, and this output would be lost.
    if (this.#options.isServer) this.#probe.start();
  }

  unhold(stream: SpdyStream): void {
    if (!this.#held.delete(stream) || this.#held.size > 0 || this.#isClosed) return;
    this.#probe.stop();
    if (!this.#isParsing) void this.#parse();
  }

  ended({ id }: SpdyStream): void {
    this.#streams.delete(id);
    if (this.#isGoingAway && this.#streams.size === 0) this.close();
  }

  #end(endStream: (stream: SpdyStream) => void): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#probe.close();
    this.#reader.close();
    this.#unread = Buffer.alloc(0);
    for (const stream of [...this.#streams.values()]) endStream(stream);
    if (this.#socket.closed) this.#onClosed();
  }

  #writeProbe(): void {
    if (this.#socket.writableLength === 0) this.#socket.write(unaskedPing);
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    // Headers are decompressed in another thread. Meanwhile the connection is not read.
    if (this.#isParsing) this.#socket.pause();
    else void this.#parse();
  }

  /** Handles all frames that have arrived, one after the other. */
  async #parse(): Promise<void> {
    this.#isParsing = true;
    try {
      while (!this.#isClosed && this.#held.size === 0) {
        const step = this.#data ? this.#passData(this.#data) : this.#nextFrame();
        if (step === false) break;
        if (step !== true) await step;
      }
    } catch {
      // The other side does not speak SPDY, or exceeds a limit. What was written before a close is still sent.
      if (!this.#isClosed) this.destroy();
    }
    this.#isParsing = false;
    if (this.#isClosed || this.#held.size > 0) return;
    if (this.#isCutOff) this.#closeCutOff();
    else this.#socket.resume();
  }

  /** Passes on what has arrived of a data frame. Returns false when more must arrive. */
  #passData(data: { readonly head: FrameHead; left: number }): boolean {
    const part = this.#unread.subarray(0, data.left);
    if (part.length === 0 && data.left > 0) return false;
    this.#unread = this.#unread.subarray(part.length);
    data.left -= part.length;
    const isLast = data.left === 0;
    if (isLast) this.#data = undefined;
    const stream = this.#streams.get(data.head.streamId);
    stream?.received(part, isLast && (data.head.flags & spdyFlags.fin) !== 0);
    return true;
  }

  /** Handles the next frame. Returns false when more must arrive, a promise while headers are decompressed. */
  #nextFrame(): boolean | Promise<void> {
    if (this.#unread.length < spdyHeadBytes) return false;
    const head = readHead(this.#unread);
    if (!head) throw new Error('the version of SPDY is unknown');
    if (head.type === 'data') {
      this.#unread = this.#unread.subarray(spdyHeadBytes);
      this.#data = { head, left: head.length };
      return true;
    }
    if (head.length > maxControlBytes) throw new Error('a frame is too long');
    if (this.#unread.length < spdyHeadBytes + head.length) return false;
    const payload = this.#unread.subarray(spdyHeadBytes, spdyHeadBytes + head.length);
    this.#unread = this.#unread.subarray(spdyHeadBytes + head.length);
    return this.#control(head, payload);
  }

  #control(head: FrameHead, payload: Buffer): true | Promise<void> {
    switch (head.type) {
      case spdyFrames.synStream:
        return this.#opened(payload, (head.flags & spdyFlags.fin) !== 0);
      case spdyFrames.synReply:
        return this.#replied(payload, (head.flags & spdyFlags.fin) !== 0);
      case spdyFrames.headers:
        return this.#reader.read(payload.subarray(4)).then(() => undefined);
      case spdyFrames.rstStream:
        this.#streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.wasReset();
        return true;
      case spdyFrames.ping:
        // The numbers of a side are odd or even; those of this side are answers.
        if (payload.readUInt32BE(0) % 2 === (this.#options.isServer ? 1 : 0))
          this.#answer(controlFrame(spdyFrames.ping, [payload.readUInt32BE(0)]));
        return true;
      case spdyFrames.goAway:
        this.#isGoingAway = true;
        if (this.#streams.size === 0) this.close();
        return true;
      default:
        return true;
    }
  }

  /** Answers a frame. Throws if the other side sends such frames, and does not read the answers. */
  #answer(frame: Buffer): void {
    if (this.#unsentAnswers >= maxUnsentAnswers) throw new Error('answers are not read');
    this.#unsentAnswers++;
    this.#socket.write(frame, () => this.#unsentAnswers--);
  }

  async #replied(payload: Buffer, isEnd: boolean): Promise<void> {
    await this.#reader.read(payload.subarray(4));
    const stream = this.#streams.get(payload.readUInt32BE(0) & 0x7fffffff);
    stream?.replied();
    if (isEnd) stream?.received(Buffer.alloc(0), true);
  }

  async #opened(payload: Buffer, isEnd: boolean): Promise<void> {
    const headers: SpdyHeaders = await this.#reader.read(payload.subarray(10));
    if (this.#isClosed) return;
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const isOfOther = id % 2 === (this.#options.isServer ? 1 : 0);
    if (!isOfOther || id <= this.#lastRemoteId) throw new Error('the number of a stream is invalid');
    this.#lastRemoteId = id;
    const { onStream, maxStreams } = this.#options;
    if (!onStream || this.#isGoingAway || this.#streams.size >= maxStreams) {
      this.#answer(controlFrame(spdyFrames.rstStream, [id, resetCodes.refusedStream]));
      return;
    }
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    stream.replied();
    this.#answer(controlFrame(spdyFrames.synReply, [id], { block: this.#writer.write({}) }));
    onStream(stream);
    if (isEnd) stream.received(Buffer.alloc(0), true);
  }
}
