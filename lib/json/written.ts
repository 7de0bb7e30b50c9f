/** Objects whose JSON says more than their value: `1.0`, `-0`, the order of keys, a key that stands twice. */

/**
 * An object like any other to whoever reads it, which is written as it was spelled. It is not changed: what is made of it, a patched one for
 * instance, is a plain object, and written as such.
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

  /** Whoever writes JSON by other means than `jsonText` is told. */
  toJSON(): never {
    throw new TypeError(`${this.#text} is written as it was spelled`);
  }
}
