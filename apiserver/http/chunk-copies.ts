const lineEnd = Buffer.from('\r\n');

/**
 * hot: caches what one write to a stream makes of its chunks, for the next stream that writes the same ones: an event for many watchers is copied
 * once. Only the last copies are kept. The streams of one port share an instance.
 *
 * Chunks are recognized by their list or Buffer, not by their bytes. So neither the list nor the bytes may change after they were written, and a
 * Buffer whose memory is reused must be a new object each time (`takeBuffer`).
 */
export class ChunkCopies {
  #lastChunks: readonly Buffer[] | undefined;
  #lastJoined = lineEnd;
  #lastChunk: Buffer | undefined;
  #lastFramed = lineEnd;

  /** Returns the chunks as one buffer, since copying them costs less than a write for each. The list is not empty. */
  joined(chunks: readonly Buffer[]): Buffer {
    const [first] = chunks;
    if (chunks.length === 1 && first) return first;
    if (chunks !== this.#lastChunks) {
      this.#lastChunks = chunks;
      this.#lastJoined = Buffer.concat(chunks);
    }
    return this.#lastJoined;
  }

  /** Returns a chunk of a body without a length over HTTP/1.1 (RFC 9112, 7.1): a copy with its length before it. The chunk is not empty. */
  framed(chunk: Buffer): Buffer {
    if (chunk === this.#lastChunk) return this.#lastFramed;
    const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, lineEnd]);
    this.#lastChunk = chunk;
    this.#lastFramed = framed;
    return framed;
  }
}
