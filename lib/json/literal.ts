/** Scalars of a patch with a spelling other than Go's, on which the result depends. */

/**
 * The JSON of a number or string as it was written. Equal ones of a body are the same object. They are in patches and in patched objects until
 * these are decoded; encoding one as JSON before that throws.
 */
export class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): never {
    throw new TypeError(`${this.text} was not decoded`);
  }
}

/** Reports whether a literal is a string. The others are numbers. */
export const isStringLiteral = ({ text }: Literal): boolean => text.startsWith('"');

/** Returns the string value of a literal. */
export const stringOf = ({ text }: Literal): string => JSON.parse(text) as string;
