import { sameField } from '../../../registry/strategy/same-value.js';
import type { Field } from './field.js';

/** `field is immutable`, when it is not what it was. `shown`: how the text shows the new value; asked for only then. */
// as apimachinery/pkg/api/validation ValidateImmutableField
export function immutable(field: Field<unknown>, old: unknown, shown = (): unknown => field.value ?? null): void {
  if (!sameField(field.value, old, field.type)) field.invalid('field is immutable', shown());
}
