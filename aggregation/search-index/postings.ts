/** The numbers of the documents that contain a term. */
export class Postings {
  #ids: Uint32Array;
  #length: number;

  constructor(...ids: readonly number[]) {
    this.#ids = Uint32Array.from(ids);
    this.#length = ids.length;
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#ids.byteLength;
  }

  get length(): number {
    return this.#length;
  }

  add(id: number): void {
    if (this.#length === this.#ids.length) {
      const longer = new Uint32Array(Math.ceil(this.#length * 1.5) + 2);
      longer.set(this.#ids);
      this.#ids = longer;
    }
    this.#ids[this.#length++] = id;
  }

  /** hot: sets the bits of all documents. */
  mark(bits: Uint32Array): void {
    const ids = this.#ids;
    for (let i = 0, length = this.#length; i < length; i++) mark(bits, ids[i] as number);
  }

  /** Drops the documents whose bits are set. */
  drop(bits: Uint32Array): void {
    this.#ids = this.#ids.subarray(0, this.#length).filter(id => !isMarked(bits, id));
    this.#length = this.#ids.length;
  }
}

/** Returns a set of so many bits, all clear. */
export const bitsFor = (count: number): Uint32Array => new Uint32Array((count + 31) >>> 5);

/** Sets a bit. hot: this, `isMarked` and `marked` are called for every document of a term. Bits past the end are clear, and stay so. */
export function mark(bits: Uint32Array, id: number): void {
  const word = id >>> 5;
  if (word < bits.length) bits[word] = (bits[word] as number) | (1 << (id & 31));
}

/** Yields the numbers whose bits are set, in their order. Words without any take no time. */
export function* marked(bits: Uint32Array): Generator<number, void> {
  for (let i = 0; i < bits.length; i++)
    for (let word = bits[i] as number; word !== 0; word &= word - 1) yield (i << 5) | (31 - Math.clz32(word & -word));
}

/** Reports whether the bit of a document is set. Bits past the end are clear. */
export const isMarked = (bits: Uint32Array, id: number): boolean => ((bits[id >>> 5] ?? 0) & (1 << (id & 31))) !== 0;

/** Clears the bits that are clear in another set of the same length. */
export function intersectBits(bits: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & (others[i] as number);
}

/** Clears the bits that are set in another set of the same length. */
export function subtractBits(bits: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] as number) & ~(others[i] as number);
}
