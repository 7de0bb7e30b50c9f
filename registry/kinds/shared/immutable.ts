import { optionalObjects, sameValue } from '../../strategy/same-value.js';
import type { Field } from './field.js';

/** `field is immutable`, when it is not what it was. `shown`: how the text shows the new value. */
// as apimachinery/pkg/api/validation ValidateImmutableField
export function immutable(field: Field<unknown>, old: unknown, shown: unknown = field.value ?? null): void {
  const isKept = (field.value == null) === (old == null) || !optionalObjects.has(field.path.split('.').at(-1) ?? '');
  if (!isKept || !sameValue(field.value, old)) field.invalid('field is immutable', shown);
}
