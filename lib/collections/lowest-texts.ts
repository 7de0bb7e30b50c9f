/** Texts that are kept beyond the wanted number before the others are dropped. */
const slack = 256;

/** The lowest texts of many, in the order of their code units: as many as are wanted. It holds few more of them at a time. */
export class LowestTexts {
  readonly #count: number;
  #texts: string[] = [];
  /** A text above it is not among the lowest; undefined while there are too few. */
  #highest: string | undefined;

  constructor(count: number) {
    this.#count = count;
  }

  /** hot: called for every match of a query. */
  add(text: string): void {
    if (this.#count === 0 || (this.#highest !== undefined && text > this.#highest)) return;
    this.#texts.push(text);
    if (this.#texts.length > 2 * this.#count + slack) this.#drop();
  }

  /** Returns the lowest texts, sorted. */
  sorted(): readonly string[] {
    this.#drop();
    return this.#texts;
  }

  #drop(): void {
    this.#texts = this.#texts.sort().slice(0, this.#count);
    if (this.#texts.length === this.#count) this.#highest = this.#texts.at(-1);
  }
}
