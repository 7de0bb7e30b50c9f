/** A long list for many insertions and removals. It consists of pieces, so that a change moves only the items of one piece. */

/** Items of a piece at first; at most twice as many later. */
const pieceLength = 1024;

export class SplitList {
  readonly #pieces: unknown[][] = [];
  #length: number;

  constructor(items: readonly unknown[]) {
    for (let at = 0; at < items.length; at += pieceLength) this.#pieces.push(items.slice(at, at + pieceLength));
    this.#length = items.length;
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the piece of an index, and the index in it. The end of the list is that of the last piece. */
  #find(index: number): readonly [piece: number, at: number] {
    const last = this.#pieces.length - 1;
    if (index === this.#length && last >= 0) return [last, this.#pieces[last]?.length ?? 0];
    let at = index;
    for (let i = 0; i <= last; i++) {
      const { length } = this.#pieces[i] as unknown[];
      if (at < length) return [i, at];
      at -= length;
    }
    this.#pieces.push([]);
    return [this.#pieces.length - 1, 0];
  }

  at(index: number): unknown {
    const [i, at] = this.#find(index);
    return this.#pieces[i]?.[at];
  }

  set(index: number, value: unknown): void {
    const [i, at] = this.#find(index);
    (this.#pieces[i] as unknown[])[at] = value;
  }

  insert(index: number, value: unknown): void {
    const [i, at] = this.#find(index);
    const items = this.#pieces[i] as unknown[];
    items.splice(at, 0, value);
    this.#length++;
    if (items.length > 2 * pieceLength) this.#pieces.splice(i + 1, 0, items.splice(pieceLength));
  }

  cut(index: number): unknown {
    const [i, at] = this.#find(index);
    const items = this.#pieces[i] as unknown[];
    const [value] = items.splice(at, 1);
    this.#length--;
    if (items.length === 0) this.#pieces.splice(i, 1);
    return value;
  }

  toArray(): unknown[] {
    return this.#pieces.flat(1);
  }
}
