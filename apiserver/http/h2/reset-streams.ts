/** The number of streams that are remembered. */
const maxStreams = 1000;

/**
 * The streams that were reset here last. The client may have sent frames before it knew of the reset; these are not errors (RFC 9113, section 5.1,
 * "closed").
 */
export class ResetStreams {
  readonly #ids = new Set<number>();

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  add(id: number): void {
    this.#ids.add(id);
    if (this.#ids.size <= maxStreams) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
