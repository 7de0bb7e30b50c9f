/** Scalars of a patch that its text writes otherwise than Go would: what becomes of them depends on how they are written. */

/**
 * The JSON of a number or of a text, as it was written. Equal ones of a body are the same object. It stands in patches and in what they
 * make of an object, until that is decoded; whoever writes it as JSON before that is told.
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

export const isText = ({ text }: Literal): boolean => text.startsWith('"');

/** The text that a literal stands for. */
export const textOf = ({ text }: Literal): string => JSON.parse(text) as string;
