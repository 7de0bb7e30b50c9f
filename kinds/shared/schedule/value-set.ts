const wordBits = 32;

/** Returns the bits `start`, `start + step` and so on up to `end` of a word. */
function stepsInWord(start: number, end: number, step: number): number {
  let word = 1 << start;
  for (let shift = step; shift < wordBits; shift *= 2) word |= word << shift;
  return end < wordBits - 1 ? word & ((1 << (end + 1)) - 1) : word;
}

/** A set of integers from 0 to 63. */
export class ValueSet {
  #low = 0;
  #high = 0;

  has(value: number): boolean {
    return value < wordBits ? (this.#low & (1 << value)) !== 0 : (this.#high & (1 << (value - wordBits))) !== 0;
  }

  /** Adds `start`, `start + step` and so on up to `end`. hot: the cost hardly depends on their number. */
  addRange(start: number, end: number, step: number): void {
    if (start < wordBits) this.#low |= stepsInWord(start, end, step);
    if (end < wordBits) return;
    const first = start < wordBits ? start + Math.ceil((wordBits - start) / step) * step : start;
    if (first <= end) this.#high |= stepsInWord(first - wordBits, end - wordBits, step);
  }
}
