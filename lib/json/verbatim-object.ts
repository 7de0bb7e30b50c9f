/** Objects whose JSON contains more than their value: `1.0`, `-0`, the order of keys, duplicate keys. */

/**
 * An object that can be read like any other, and is encoded by `jsonText` as the JSON that it was decoded from. It is immutable: objects derived
 * from it, such as patched ones, are plain objects.
 */
export class VerbatimObject {
  readonly #text: string;

  /** `text`: its JSON, without space between the tokens. */
  constructor(value: object, text: string) {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(value));
    this.#text = text;
  }

  static textOf(object: VerbatimObject): string {
    return object.#text;
  }

  /** Throws, since encoders other than `jsonText` would not write the object as it was spelled. */
  toJSON(): never {
    throw new TypeError(`${this.#text} is written as it was spelled`);
  }
}
