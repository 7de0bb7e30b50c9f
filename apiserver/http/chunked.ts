/** Bodies without a length over HTTP/1.1, written past the ServerResponse: that makes four writes of each chunk, and of what many clients get for each of them. */
import type { ServerResponse } from 'node:http';
import type { Target } from './response-stream.js';

const lineEnd = Buffer.from('\r\n');

let lastChunk: Buffer | undefined;
let lastFramed = lineEnd;

/** A chunk with its length before it. hot: the next one who writes the same buffer gets the same. */
function framed(chunk: Buffer): Buffer {
  if (chunk === lastChunk) return lastFramed;
  const made = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, lineEnd]);
  lastChunk = chunk;
  lastFramed = made;
  return made;
}

/** Of a response whose head has left; undefined when its body has to go through it. */
export function chunkedTarget(response: ServerResponse): Target | undefined {
  const { socket, req, chunkedEncoding } = response;
  if (!socket || !chunkedEncoding || req.method === 'HEAD') return undefined;
  return {
    // An empty chunk would be the end.
    write: (chunk: Buffer) => response.destroyed || chunk.length === 0 || socket.write(framed(chunk)),
    end: () => void response.end(),
    destroy: error => void response.destroy(error),
    on(event, listener) {
      if (event !== 'drain') return void response.on(event, listener);
      socket.on(event, listener);
      response.once('close', () => socket.off(event, listener));
    },
    get destroyed() {
      return response.destroyed;
    },
    get writableNeedDrain() {
      return socket.writableNeedDrain;
    },
  };
}
