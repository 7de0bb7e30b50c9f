import { Duplex } from 'node:stream';
import { type Lane, TurnQueue } from './turn-queue.js';

/**
 * Bytes that are read at a time by default: some six hundred of the smallest messages of a WebSocket, or four hundred of the smallest frames of
 * HTTP/2.
 */
const smallPieces = 4096;
const highWaterMark = 64 * 1024;

/** All paced sockets share the time of a turn. The time of a piece is known after its microtasks, which pass the messages on. */
const turns = new TurnQueue({ tasksInARow: 1 });

/**
 * The socket of another side, read in small pieces when it is its turn. One read of a socket may hold ten thousand messages, and parsers such as those of
 * ws and of Node.js for HTTP/2 take all that are in what they get at once, also when they are paused meanwhile.
 */
export class PacedSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #pieceBytes: number;
  readonly #lane: Lane = turns.lane();
  #isBehind = false;
  #hasEnded = false;

  /** `head`: bytes that have been read from the socket. `pieceBytes`: the bytes that are read at a time. */
  constructor(socket: Duplex, head: Buffer = Buffer.alloc(0), pieceBytes = smallPieces) {
    super({ highWaterMark });
    this.#socket = socket;
    this.#pieceBytes = pieceBytes;
    socket
      .on('data', (bytes: Buffer) => this.#take(bytes))
      .on('end', () => this.#lane.defer(() => this.#end()))
      .on('error', error => this.#lane.defer(() => this.destroy(error)))
      .on('close', () => this.#lane.defer(() => this.#close()));
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
    for (let from = 0; from < bytes.length; from += this.#pieceBytes)
      this.#lane.defer(() => this.#push(bytes.subarray(from, from + this.#pieceBytes)));
    this.#lane.defer(() => this.#goOn());
  }

  #end(): void {
    this.#hasEnded = true;
    this.#push(null);
  }

  /** Closes the stream. What the other side has sent before its end is read first. */
  #close(): void {
    if (this.#hasEnded && !this.readableEnded) this.once('end', () => this.destroy());
    else this.destroy();
  }

  #push(piece: Buffer | null): void {
    if (!this.destroyed) this.push(piece);
  }

  #goOn(): void {
    if (this.readableLength < this.readableHighWaterMark) this.#socket.resume();
    else this.#isBehind = true;
  }
}
