/** A value of a library's type: quantities, addresses, versions. */
import type { Type } from './types.js';

export class Opaque {
  readonly type: Type;
  readonly value: unknown;
  readonly equals: (other: Opaque) => boolean;
  /** The size that costs are counted in. */
  readonly size: number;
  constructor(type: Type, value: unknown, equals: (other: Opaque) => boolean, size = 1) {
    this.type = type;
    this.value = value;
    this.equals = equals;
    this.size = size;
  }
}
