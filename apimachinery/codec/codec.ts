/** How values of one place are read and written. The values are those of native types. */
export interface Codec {
  read(value: unknown, walk: Walk): unknown;
  /** What stands there when nothing was said and the field is always written. */
  readonly zero: () => unknown;
  /** What `omitempty` leaves out. */
  empty(written: unknown, walk: Walk): boolean;
}

/** What is wanted of one reading, and what is met on the way. */
export interface Walk {
  /** Whether fields were met that the type does not know. */
  unknown: boolean;
  /** Lists and maps that hold nothing become none, as in protobuf. */
  readonly bare: boolean;
  /** Parts that are in this form. */
  readonly known: readonly unknown[] | undefined;
  /** What is found to be in this form is handed on, and not copied. */
  readonly given: boolean;
  /** Keys of the map that was read last. */
  size: number;
}

export const zeroWalk: Walk = { unknown: false, bare: false, known: undefined, given: false, size: 0 };

/** Thrown on the fast path, which knows no paths; the slow walk then finds the text of the error. */
export const mismatch = new Error('the value does not fit its type');

export const never = (): boolean => false;
export const isNull = (written: unknown): boolean => written === null;
export const fail = (): never => {
  throw mismatch;
};
