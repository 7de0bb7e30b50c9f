/** Objects whose JSON contains more than their value: `1.0`, `-0`, the order of keys, duplicate keys. */

/**
 * An object that can be read like any other, and is written as it was spelled. It is immutable: objects derived from it, such as patched ones,
 * are plain objects, and written as such.
 */
export class Written {
  readonly #text: string;

  /** `text`: its JSON, without space between the tokens. */
  constructor(value: object, text: string) {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(value));
    this.#text = text;
  }

  static textOf(written: Written): string {
    return written.#text;
  }

  /** Throws, for encoders other than `jsonText`. */
  toJSON(): never {
    throw new TypeError(`${this.#text} is written as it was spelled`);
  }
}
