import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { LabelSelector as DraftSelector } from '../../../api/kubernetes/meta.js';
import type { Field } from './field.js';

/** The selector must be valid. An unset one is. */
export function labelSelector(field: Field<DraftSelector>, allowInvalidValues = false): void {
  field.add(...labelSelectorFaults(field.value as LabelSelector | undefined, field, { allowInvalidValues }));
}

/** Reports whether a stored selector has invalid label values, which it may keep. */
export function hasBadValues(selector: DraftSelector | undefined): boolean {
  return labelSelectorFaults(selector as LabelSelector | undefined, '').some(fault => fault.path.includes('values'));
}

/** Returns whether a stored selector is invalid. */
export function isInvalidSelector(selector: DraftSelector | undefined): boolean {
  return labelSelectorFaults(selector as LabelSelector | undefined, '').length > 0;
}
