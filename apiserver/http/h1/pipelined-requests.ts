import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientConnection } from '../connections/client-connection.js';
import { PacedParsing } from './paced-parsing.js';

/** The numbers of waiting requests at which reading of a connection stops, and at which it resumes. */
const highMark = 64;
const lowMark = 16;

interface WaitingRequest {
  /** Undefined for the last task of a connection: an upgrade, or the refusal of bytes that are no request. */
  readonly response: ServerResponse | undefined;
  readonly run: () => void;
}

/**
 * Serves the requests of one HTTP/1.1 connection one after the other, as net/http does: the next one begins when the former answer is sent. The parser
 * passes on all requests of one read, and a client may send requests without waiting for answers. Node emits no 'close' for answers that wait for
 * their order when the client disconnects, so that their handlers would wait for it.
 */
export class PipelinedRequests {
  readonly connection: ClientConnection;
  readonly #socket: Socket;
  /** The answer to the request that was served last. */
  #last: ServerResponse | undefined;
  /** The request that was parsed last. Its body may be incomplete. */
  #arrived: IncomingMessage | undefined;
  readonly #waiting: WaitingRequest[] = [];
  #isPaused = false;
  /** Nothing that is parsed from now on is served. */
  #isOver = false;
  /** Undefined until a request has a body in chunks. */
  #pacing: PacedParsing | undefined;

  constructor(socket: Socket, connection: ClientConnection) {
    this.#socket = socket;
    this.connection = connection;
  }

  /**
   * hot: serves a request when its headers are parsed. Does not serve it if the client disconnects before it is its turn, or if a former answer is the
   * last one of the connection.
   */
  serve(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    if (this.#isOver) return;
    this.#arrived = request;
    if (request.headers['transfer-encoding'] !== undefined) this.#pacing ??= new PacedParsing(this.#socket);
    this.#add({ response, run });
    if (this.#waiting.length >= highMark && !this.#isPaused) this.#pause();
  }

  /**
   * Serves a request that upgrades the connection, and leaves all further bytes to the new protocol. Node has taken its listeners from the socket, and
   * with them what an unfinished answer needs, so the connection of a client that has not waited for one ends. One that is complete may be on its
   * way: Node notices that it was sent after the client may have.
   */
  serveUpgrade(run: () => void): void {
    this.#pacing?.stop();
    if (this.#isOver || this.#waiting.length > 0 || (this.#last && !this.#last.writableEnded))
      return void this.#socket.destroy();
    this.#isOver = true;
    this.#add({ response: undefined, run });
  }

  /**
   * Refuses bytes that are no request, when all former requests are answered, and serves no further ones. If they belong to the body of the last
   * request, that one will never be complete: `refuse` is its answer, unless it has one, and then only the end of the connection is left.
   */
  serveRefusal(refuse: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#arrived?.complete !== false) return this.#add({ response: undefined, run: refuse });
    if (this.#waiting.length === 0) return this.#last?.headersSent ? void this.#socket.destroy() : refuse();
    this.#waiting[this.#waiting.length - 1] = { response: undefined, run: refuse };
  }

  #add(request: WaitingRequest): void {
    const last = this.#last;
    if (this.#waiting.length === 0 && (!last || last.closed)) return this.#start(request);
    if (this.#waiting.push(request) === 1) last?.once('close', this.#next);
  }

  #start({ response, run }: WaitingRequest): void {
    this.#last = response;
    this.connection.lane.run(() => {
      // After an answer with `Connection: close` the socket is ended, and not destroyed yet.
      if (!this.#socket.destroyed && !this.#socket.writableEnded) run();
    });
  }

  readonly #next = (): void => {
    const request = this.#waiting.shift();
    if (!request) return;
    if (this.#isPaused && this.#waiting.length <= lowMark) this.#resume();
    this.#start(request);
    if (this.#waiting.length > 0) request.response?.once('close', this.#next);
  };

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
