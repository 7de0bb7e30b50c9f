/** A window for data that the peer sends, on one stream or on a connection (RFC 9113, section 5.2). */
export class ReceiveWindow {
  readonly #renewAfter: number;
  /** Bytes that the peer may still send. */
  #left: number;
  /** Bytes that were received and processed since the window was last renewed; negative while received bytes are held. */
  #released = 0;

  /** `renewAfter`: processed bytes for which a WINDOW_UPDATE is worth sending. */
  constructor(bytes: number, renewAfter: number) {
    this.#left = bytes;
    this.#renewAfter = renewAfter;
  }

  /** Counts received bytes, padding included. Returns false when the peer has sent more than it may. */
  receive(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** Counts bytes that are held unprocessed, and will be released later. */
  hold(bytes: number): void {
    this.#released -= bytes;
  }

  /** Counts processed bytes. Returns the size of the WINDOW_UPDATE that is due, which the caller has to send; 0 when none is. */
  release(bytes: number): number {
    this.#released += bytes;
    if (this.#released < this.#renewAfter) return 0;
    const due = this.#released;
    this.#left += due;
    this.#released = 0;
    return due;
  }
}
