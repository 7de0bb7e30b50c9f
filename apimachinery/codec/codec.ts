import type { LargeValues } from '../../lib/json/large-values.js';
import type { InSteps } from '../../lib/time-slice.js';

/** Converts the values of a native type to their canonical form. */
export interface TypeCodec {
  /** Returns the canonical form of a decoded value. Throws `mismatch` if it does not have the type. */
  read(value: unknown, walk: Walk): unknown;
  /** As `read`, in steps, for a large object or list. Types without parts have no steps. */
  readSteps?(value: object, walk: LongWalk): InSteps<unknown>;
  /** Returns the value of a field that is not set, but always written. */
  readonly zero: () => unknown;
  /** Returns whether `omitempty` leaves out this value, which `read` has just returned. */
  empty(written: unknown, walk: Walk): boolean;
}

/** The options and results of the conversion of one object. */
export interface Walk {
  /** Whether the object has fields that its type does not declare. */
  unknown: boolean;
  /** Empty lists and maps become null, as in protobuf. */
  readonly emptyAsNull: boolean;
  /** Parts that are canonical already. */
  readonly canonicalParts: readonly unknown[] | undefined;
  /** Canonical parts are shared with the result, not copied. */
  readonly shareCanonical: boolean;
  /** The number of keys of the map that was read last. */
  size: number;
}

/** The conversion of one object in steps. */
export interface LongWalk extends Walk {
  readonly large: LargeValues;
}

export const zeroWalk: Walk = {
  unknown: false,
  emptyAsNull: false,
  canonicalParts: undefined,
  shareCanonical: false,
  size: 0,
};

/** A codec whose values may be large. */
interface CompoundCodec extends TypeCodec {
  readonly readSteps: NonNullable<TypeCodec['readSteps']>;
}

/** Reports whether a value is large, so that it is converted in steps. */
export const hasSteps = (codec: TypeCodec, value: unknown, { large }: LongWalk): codec is CompoundCodec =>
  codec.readSteps !== undefined && typeof value === 'object' && value !== null && large.isLarge(value);

/** As `TypeCodec.read`, in steps if the value is large. */
export function* readInSteps(codec: TypeCodec, value: unknown, walk: LongWalk): InSteps<unknown> {
  if (!hasSteps(codec, value, walk)) return codec.read(value, walk);
  yield;
  return yield* codec.readSteps(value as object, walk);
}

/** Thrown on the fast path, which does not track paths. `inspectFields` then finds the text of the error. */
export const mismatch = new Error('the value does not fit its type');

/** The `empty` of types that `omitempty` never leaves out. */
export const never = (): boolean => false;
/** The `empty` of types whose only value that `omitempty` leaves out is null. */
export const isNull = (written: unknown): boolean => written === null;
/** Throws `mismatch`. */
export const fail = (): never => {
  throw mismatch;
};
