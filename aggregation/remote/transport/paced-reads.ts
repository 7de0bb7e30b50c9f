import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { TurnQueue } from '../../../lib/turn-queue.js';

/** Maximum bytes that undici parses at once: at most 2,000 errors, or 700 chunks of a body. */
const pieceBytes = 4 * 1024;
/** Milliseconds for which a socket may read further pieces in its turn: those of a large plain body take some microseconds each. */
const turnMs = 0.2;

/** All connections share the time of a turn. The time of a piece is known after its microtasks, which pass the data on. */
const turns = new TurnQueue({ tasksInARow: 1 });

/**
 * Has undici read a socket in small pieces, when it is the turn of the socket, and not at all once the socket is destroyed. Undici itself reads all data
 * that has arrived, with a call for each chunk of a body. After headers that it has refused it continues to the end, with a new error for each of them.
 */
class PacedReads {
  readonly #socket: Socket;
  readonly #read: (size?: number) => unknown;
  readonly #lane = turns.lane();
  #isTurn = false;
  #isReading = false;
  /** When the turn ends, by `performance.now()`. */
  #turnEnds = 0;

  /** Only `read` is replaced: undici calls it until it returns null, and again when the socket emits `readable`. */
  constructor(socket: Socket) {
    this.#socket = socket;
    this.#read = socket.read.bind(socket);
    socket.read = (size?: number) => (socket.destroyed ? null : this.#next(size));
  }

  #next(size: number | undefined): unknown {
    const { readableLength } = this.#socket;
    // After an upgrade, undici listens no more, and the next reader waits for other events.
    const isForUndici = this.#socket.listenerCount('readable') > 0;
    if (size !== undefined || readableLength === 0 || !isForUndici) return this.#read(size);
    if (!this.#takeTurn()) return null;
    return this.#read(readableLength > pieceBytes ? pieceBytes : undefined);
  }

  #takeTurn(): boolean {
    if (performance.now() < this.#turnEnds) return true;
    this.#isReading = true;
    if (!this.#isTurn && this.#lane.waiting === 0) this.#lane.run(this.#begin);
    this.#isReading = false;
    const isTurn = this.#isTurn;
    this.#isTurn = false;
    if (isTurn) this.#turnEnds = performance.now() + turnMs;
    return isTurn;
  }

  readonly #begin = (): void => {
    this.#isTurn = true;
    if (this.#isReading) return;
    this.#socket.emit('readable');
    this.#isTurn = false; // Undici may be paused, and read later.
  };
}

/** Bounds what undici parses of this socket in a turn of the event loop. */
export const paceReads = (socket: Socket): void => void new PacedReads(socket);
