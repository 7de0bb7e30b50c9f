import type { Socket } from 'node:net';
import type { Connection } from './connection.js';

/** Waiting requests at which a connection is not read any more, and at which it is read again. */
const highMark = 64;
const lowMark = 16;

/**
 * The requests of one HTTP/1.1 connection in the order in which they came. The parser hands over all that one read has brought, and a client may send
 * requests without waiting for answers. Waiting requests hold memory, so the socket is not read while there are too many.
 */
export class Pipeline {
  readonly connection: Connection;
  readonly #socket: Socket;
  #waiting = 0;
  #isPaused = false;

  constructor(socket: Socket, connection: Connection) {
    this.#socket = socket;
    this.connection = connection;
  }

  /** hot: serves a request when it is its turn, unless the client has gone meanwhile. */
  serve(request: () => void): void {
    this.#waiting++;
    this.connection.lane.run(() => {
      this.#waiting--;
      if (this.#isPaused && this.#waiting <= lowMark) this.#resume();
      if (!this.#socket.destroyed) request();
    });
    if (this.#waiting >= highMark && !this.#isPaused) this.#pause();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.on('resume', this.#stayPaused).pause();
  }

  #resume(): void {
    this.#isPaused = false;
    this.#socket.off('resume', this.#stayPaused).resume();
  }

  /** Node's parser resumes the socket after each answer, for what may be left of the request's body: here there is nothing left. */
  readonly #stayPaused = (): void => void this.#socket.pause();
}
