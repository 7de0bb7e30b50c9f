/** A value of a library's type: quantities, addresses, versions. */
import type { Steps } from '../steps.js';
import type { Type } from './types.js';

export class Opaque {
  readonly type: Type;
  readonly value: unknown;
  /** Counts what it visits where that is not a few values. */
  readonly equals: (other: Opaque, steps: Steps) => boolean;
  /** The size that costs are counted in. */
  readonly size: number;
  constructor(type: Type, value: unknown, equals: Opaque['equals'], size = 1) {
    this.type = type;
    this.value = value;
    this.equals = equals;
    this.size = size;
  }
}
