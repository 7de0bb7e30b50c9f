import type { Socket } from 'node:net';
import { TurnQueue } from '../../../lib/turn-queue.js';

/** Bytes that are parsed at a time: some seven hundred chunks of one byte. */
const pieceBytes = 4096;

/** All connections share the time of a turn. The time of a piece is known after the microtasks that parse it. */
const turns = new TurnQueue({ tasksInARow: 1 });

type Parse = (bytes: Buffer) => void;

/** Reports whether Node's server has paused a socket until its answers have left. It then resumes it, and accepts no bytes before. */
const hasPausedForAnswers = (socket: Socket): boolean => (socket as Socket & { _paused?: boolean })._paused === true;

/**
 * Passes what an HTTP/1.1 connection receives to Node's parser in small pieces, when it is its turn. The parser calls back for each chunk of a body,
 * and takes a whole read of the socket at once, which may hold ten thousand chunks, also when the request is paused meanwhile.
 */
export class PacedParsing {
  readonly #socket: Socket;
  readonly #lane = turns.lane();
  #parsers: readonly Parse[] = [];
  /** Whether the next piece has to wait for its turn, and whether the socket is to be resumed then: the parser pauses it for reasons of its own. */
  #isWaiting = false;
  #resumes = false;
  #isStopped = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#begin();
    if (this.#parsers.length === 0) socket.on('resume', this.#begin);
  }

  /**
   * Takes over from the listeners of Node's server, whose parser may be busy with a request. While the server has paused the socket, it has also stopped
   * the reading below it, which only the server starts again.
   */
  readonly #begin = (): void => {
    const socket = this.#socket;
    if (socket.isPaused()) return;
    socket.off('resume', this.#begin);
    this.#parsers = socket.listeners('data') as Parse[];
    for (const parser of this.#parsers) socket.off('data', parser);
    socket.on('data', this.#take);
  };

  /** Leaves all further bytes to the next reader of the socket. */
  stop(): void {
    this.#isStopped = true;
    this.#socket.off('resume', this.#begin).off('data', this.#take);
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#isWaiting || hasPausedForAnswers(this.#socket)) return this.#hold(bytes, this.#isWaiting);
    for (const parse of this.#parsers) parse.call(this.#socket, bytes.subarray(0, pieceBytes));
    const rest = bytes.subarray(pieceBytes);
    if (rest.length === 0 || this.#socket.destroyed) return;
    if (this.#isStopped) return this.#socket.unshift(rest);
    this.#isWaiting = true;
    this.#hold(rest, !this.#socket.isPaused());
    this.#lane.defer(this.#goOn);
  };

  /** Puts bytes back until it is their turn. A reader of the body, and the pipeline, may resume the socket before. */
  #hold(bytes: Buffer, resumes: boolean): void {
    this.#resumes ||= resumes;
    this.#socket.pause();
    this.#socket.unshift(bytes);
  }

  readonly #goOn = (): void => {
    this.#isWaiting = false;
    if (!this.#resumes || this.#isStopped) return;
    this.#resumes = false;
    this.#socket.resume();
  };
}
