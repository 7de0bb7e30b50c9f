/** Writes bodies without a length over HTTP/1.1 directly to the socket: ServerResponse makes four writes of each chunk, and again for each client. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ChunkCopies } from '../chunk-copies.js';
import type { ByteSink } from '../response-stream.js';

class ChunkedTarget implements ByteSink {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #copies: ChunkCopies;

  constructor(response: ServerResponse, socket: Socket, copies: ChunkCopies) {
    this.#response = response;
    this.#socket = socket;
    this.#copies = copies;
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
    return this.#response.destroyed || chunk.length === 0 || this.#socket.write(this.#copies.framed(chunk));
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
export function chunkedTarget(response: ServerResponse, copies: ChunkCopies): ByteSink | undefined {
  const { socket, req, chunkedEncoding } = response;
  if (!socket || !chunkedEncoding || req.method === 'HEAD') return undefined;
  return new ChunkedTarget(response, socket, copies);
}
