/** Validates bounds of numbers. */
import type { Field } from './field.js';

/** Reports `must be greater than or equal to 0`. */
export function nonNegative(field: Field<number>): void {
  if ((field.value ?? 0) < 0) field.invalid('must be greater than or equal to 0', field.value);
}

/** Reports `must be greater than zero`. */
export function positive(field: Field<number>): void {
  if ((field.value ?? 0) <= 0) field.invalid('must be greater than zero', field.value ?? 0);
}

export const maxInt32 = 2147483647;
