import { sameField } from '../../../registry/strategy/same-value.js';
import type { Field } from './field.js';

/** Reports `field is immutable` if the value changed. `shown`: returns the value for the text; called only in that case. */
// as apimachinery/pkg/api/validation ValidateImmutableField
export function immutable(field: Field<unknown>, old: unknown, shown = (): unknown => field.value ?? null): void {
  if (!sameField(field.value, old, field.type)) field.invalid('field is immutable', shown());
}
