/**
 * Collects errors of values. Go's reader parses the whole document before it resolves values, and converts them to JSON last, so an error of an
 * earlier step takes precedence over one further up in the text.
 */
export class ValueFaults {
  #decoding: string | undefined;
  #json: string | undefined;

  /** The error that takes precedence. */
  get first(): string | undefined {
    return this.#decoding ?? this.#json;
  }

  /** Reports something that Go's reader cannot decode. */
  decoding(problem: string): void {
    this.#decoding ??= `yaml: ${problem}`;
  }

  /** Reports something that JSON cannot represent. */
  json(problem: string): void {
    this.#json ??= problem;
  }
}
