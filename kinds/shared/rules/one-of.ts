import type { Field } from './field.js';

/** What is set is one of the values. */
export function oneOf(field: Field<string>, supported: readonly string[]): void {
  if (field.isSet && !supported.includes(field.value ?? '')) field.notSupported(supported);
}
