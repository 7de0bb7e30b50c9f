/**
 * Bytes that arrive in pieces, in one buffer of their own. Pieces are copied: a piece of one byte is a view of everything that was read
 * from the socket with it, and many small views cost a hundred times what they hold.
 */
export class Gathered {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether `#bytes` is the buffer of the only piece so far, which belongs to somebody else. */
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
    const wanted = this.#length + piece.length;
    if (this.#isBorrowed || wanted > this.#bytes.length) this.#grow(wanted);
    piece.copy(this.#bytes, this.#length);
    this.#length = wanted;
  }

  /** What has been gathered; the next piece begins anew. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#isBorrowed = false;
    this.#length = 0;
    return taken;
  }

  #grow(wanted: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#length, 1024));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#isBorrowed = false;
  }
}
