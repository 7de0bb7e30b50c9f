/** Writes bodies without a length over HTTP/1.1 directly to the socket: ServerResponse makes four writes of each chunk, and again for each client. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ByteSink } from './response-stream.js';

const lineEnd = Buffer.from('\r\n');

let lastChunk: Buffer | undefined;
let lastFramed = lineEnd;

/**
 * hot: returns a copy of a chunk with its length before it. The next stream that writes the same Buffer gets the same copy. So a Buffer whose memory
 * is reused must be a new object each time (`takeBuffer`).
 */
function framed(chunk: Buffer): Buffer {
  if (chunk === lastChunk) return lastFramed;
  const joined = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, lineEnd]);
  lastChunk = chunk;
  lastFramed = joined;
  return joined;
}

class ChunkedTarget implements ByteSink {
  readonly #response: ServerResponse;
  readonly #socket: Socket;

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response;
    this.#socket = socket;
  }

  get destroyed(): boolean {
    return this.#response.destroyed;
  }

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  write(chunk: Buffer): boolean {
    // An empty chunk would end the body.
    return this.#response.destroyed || chunk.length === 0 || this.#socket.write(framed(chunk));
  }

  end(): void {
    this.#response.end();
  }

  destroy(error?: Error): void {
    this.#response.destroy(error);
  }

  on(event: 'drain' | 'close' | 'error', listener: () => void): void {
    if (event !== 'drain') return void this.#response.on(event, listener);
    this.#socket.on(event, listener);
    this.#response.once('close', () => this.#socket.off(event, listener));
  }
}

/** Returns a target for the body of a response whose head was sent; undefined when the body has to be written through the response. */
export function chunkedTarget(response: ServerResponse): ByteSink | undefined {
  const { socket, req, chunkedEncoding } = response;
  if (!socket || !chunkedEncoding || req.method === 'HEAD') return undefined;
  return new ChunkedTarget(response, socket);
}
