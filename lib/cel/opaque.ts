/** A value of a library type: quantities, addresses, versions. */
import type { Steps } from '../steps.js';
import type { Type } from './types.js';

/** A value whose contents expressions cannot read, but only pass to the functions of its type. */
export class Opaque {
  readonly type: Type;
  readonly value: unknown;
  /** Compares values. Counts steps when it visits more than a few values. */
  readonly equals: (other: Opaque, steps: Steps) => boolean;
  /** The size for costs. */
  readonly size: number;
  constructor(type: Type, value: unknown, equals: Opaque['equals'], size = 1) {
    this.type = type;
    this.value = value;
    this.equals = equals;
    this.size = size;
  }
}
