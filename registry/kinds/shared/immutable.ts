import { semanticEqual } from '../../../openapi/meta/equality.js';
import type { Field } from './field.js';

/** `field is immutable`, when it is not what it was. `shown`: how the text shows the new value. */
// as apimachinery/pkg/api/validation ValidateImmutableField
export function immutable(field: Field<unknown>, old: unknown, shown: unknown = field.value ?? null): void {
  if (!semanticEqual(field.value, old)) field.invalid('field is immutable', shown);
}
