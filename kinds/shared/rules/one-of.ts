import type { Field } from './field.js';

/** If the field is set, it must be one of the values. */
export function oneOf(field: Field<string>, supported: readonly string[]): void {
  if (field.isSet && !supported.includes(field.value ?? '')) field.notSupported(supported);
}
