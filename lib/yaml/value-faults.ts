/**
 * Faults of values. Go's reader parses the whole document before it looks at what the values are, and makes JSON of them last, so a fault of an
 * earlier step counts before one that stands further up in the text.
 */
export class ValueFaults {
  #decoding: string | undefined;
  #json: string | undefined;

  /** The text of the fault that counts. */
  get first(): string | undefined {
    return this.#decoding ?? this.#json;
  }

  /** Something that Go's reader has no value for. */
  decoding(problem: string): void {
    this.#decoding ??= `yaml: ${problem}`;
  }

  /** Something that JSON has no form for. */
  json(problem: string): void {
    this.#json ??= problem;
  }
}
