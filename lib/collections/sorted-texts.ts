/** Most texts of a block. One that grows beyond it is divided. */
const maxBlock = 512;

/**
 * A set of texts in the order of their code units, from which those with a common beginning are read without a look at the others. They are in blocks, so
 * that a text is added or removed without moving all that follow it.
 */
export class SortedTexts {
  /** None is empty. */
  readonly #blocks: string[][] = [];
  /** Counts changes: a walk that finds another number looks for its place again. */
  #changes = 0;

  /** Adds a text, unless the set has it. */
  add(text: string): void {
    const { block, index } = this.#find(text);
    const texts = this.#blocks[block];
    if (texts?.[index] === text) return;
    this.#changes++;
    if (!texts) {
      // It comes after all others, or there are none.
      const last = this.#blocks.at(-1);
      if (last) last.push(text);
      else this.#blocks.push([text]);
    } else texts.splice(index, 0, text);
    this.#divide(texts ? block : this.#blocks.length - 1);
  }

  delete(text: string): void {
    const { block, index } = this.#find(text);
    const texts = this.#blocks[block];
    if (texts?.[index] !== text) return;
    this.#changes++;
    texts.splice(index, 1);
    if (texts.length === 0) this.#blocks.splice(block, 1);
  }

  /**
   * Yields the texts with this beginning, in their order; only those after another text, unless that is ''. The set may be changed meanwhile: what comes
   * later in the order is seen as it is then.
   */
  *startingWith(beginning: string, after = ''): Generator<string, void> {
    let place = this.#find(after === '' || after < beginning ? beginning : next(after));
    let changes = this.#changes;
    for (;;) {
      const text = this.#blocks[place.block]?.[place.index];
      if (text?.startsWith(beginning) !== true) return;
      yield text;
      if (changes === this.#changes) {
        place.index++;
        if (place.index === this.#blocks[place.block]?.length) place = { block: place.block + 1, index: 0 };
        continue;
      }
      changes = this.#changes;
      place = this.#find(next(text));
    }
  }

  /** Returns the place of the first text that is not before this one; the block after the last one if there is none. */
  #find(text: string): { block: number; index: number } {
    const blocks = this.#blocks;
    const block = firstWhere(blocks.length, at => (blocks[at]?.at(-1) as string) >= text);
    const texts = blocks[block] ?? [];
    return { block, index: firstWhere(texts.length, at => (texts[at] as string) >= text) };
  }

  #divide(block: number): void {
    const texts = this.#blocks[block];
    if (texts && texts.length > maxBlock) this.#blocks.splice(block + 1, 0, texts.splice(maxBlock / 2));
  }
}

/** Returns the lowest text after this one: nothing is between a text and itself with the lowest code unit behind it. */
const next = (text: string): string => `${text}\0`;

/** Returns the first number below `count` that fits, or `count`. All that follow one that fits do so, too. */
function firstWhere(count: number, fits: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
