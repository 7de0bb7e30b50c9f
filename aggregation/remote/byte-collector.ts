/**
 * Collects bytes that arrive in pieces in one buffer. Pieces are copied: each is a view of the whole buffer that was read from the socket, and
 * many small views would take a hundred times the memory of their bytes.
 */
export class ByteCollector {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether `#bytes` is the buffer of the only piece so far, which belongs to the caller. */
  #isBorrowed = false;

  get length(): number {
    return this.#length;
  }

  append(piece: Buffer): void {
    if (piece.length === 0) return;
    if (this.#length === 0) {
      // Most bodies and lines come in one piece.
      this.#bytes = piece;
      this.#isBorrowed = true;
      this.#length = piece.length;
      return;
    }
    const needed = this.#length + piece.length;
    if (this.#isBorrowed || needed > this.#bytes.length) this.#grow(needed);
    piece.copy(this.#bytes, this.#length);
    this.#length = needed;
  }

  /** Returns the collected bytes, and starts again without any. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#isBorrowed = false;
    this.#length = 0;
    return taken;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#length, 1024));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#isBorrowed = false;
  }
}
