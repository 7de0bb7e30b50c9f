import { Duplex } from 'node:stream';
import { type Lane, TurnQueue } from '../../lib/turn-queue.js';
import type { Upgrade } from '../interface.js';

/** Bytes that are read at a time: some six hundred of the smallest messages of a WebSocket. */
const pieceBytes = 4096;
const highWaterMark = 64 * 1024;

/** All WebSockets share the time of a turn. The time of a piece is known after its microtasks, which pass the messages on. */
const turns = new TurnQueue({ tasksInARow: 1 });

/**
 * The socket of a client, read in small pieces when it is its turn. One read of a socket may hold ten thousand messages, and ws takes all that are in
 * what it gets at once, also when it is paused meanwhile.
 */
class PacedSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #lane: Lane = turns.lane();
  #isBehind = false;

  /** `head`: bytes that have been read from the socket. */
  constructor(socket: Duplex, head: Buffer) {
    super({ highWaterMark });
    this.#socket = socket;
    socket
      .on('data', (bytes: Buffer) => this.#take(bytes))
      .on('end', () => this.#lane.defer(() => this.#push(null)))
      .on('error', error => this.#lane.defer(() => this.destroy(error)))
      .on('close', () => this.#lane.defer(() => this.destroy()));
    if (head.length > 0) this.#take(head);
  }

  override _read(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const last = chunks.length - 1;
    this.#socket.cork();
    for (const [i, { chunk }] of chunks.entries()) this.#socket.write(chunk, i === last ? done : undefined);
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  /** Reads no more until the pieces of these bytes are passed on. */
  #take(bytes: Buffer): void {
    this.#socket.pause();
    for (let from = 0; from < bytes.length; from += pieceBytes)
      this.#lane.defer(() => this.#push(bytes.subarray(from, from + pieceBytes)));
    this.#lane.defer(() => this.#goOn());
  }

  #push(piece: Buffer | null): void {
    if (!this.destroyed) this.push(piece);
  }

  #goOn(): void {
    if (this.readableLength < this.readableHighWaterMark) this.#socket.resume();
    else this.#isBehind = true;
  }
}

/** An upgrade whose socket is read in small pieces. */
export interface PacedUpgrade extends Upgrade {
  readonly socket: PacedSocket;
}

export const paced = ({ request, socket, head }: Upgrade): PacedUpgrade => ({
  request,
  socket: new PacedSocket(socket, head),
  head: Buffer.alloc(0),
});
