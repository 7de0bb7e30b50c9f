import type { Socket } from 'node:net';
import type { ClientConnection } from './connection.js';

/** The numbers of waiting requests at which reading of a connection stops, and at which it resumes. */
const highMark = 64;
const lowMark = 16;

/**
 * Runs the requests of one HTTP/1.1 connection in the order of their arrival. The parser passes on all requests of one read, and a client may
 * send requests without waiting for answers. Waiting requests hold memory, so the socket is not read while there are too many.
 */
export class PipelinedRequests {
  readonly connection: ClientConnection;
  readonly #socket: Socket;
  #waiting = 0;
  #isPaused = false;

  constructor(socket: Socket, connection: ClientConnection) {
    this.#socket = socket;
    this.connection = connection;
  }

  /** hot: serves a request when it is its turn, unless the client has disconnected meanwhile. */
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

  /** Keeps the socket paused: Node's parser resumes it after each answer, to read the rest of the request body. All bodies here are read. */
  readonly #stayPaused = (): void => void this.#socket.pause();
}
