import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { LabelSelector as DraftSelector } from '../../../api/kubernetes/meta.js';
import type { Field } from './field.js';

/** An absent one is sound. */
export function labelSelector(field: Field<DraftSelector>, allowInvalidValues = false): void {
  field.add(...labelSelectorFaults(field.value as LabelSelector | undefined, field, { allowInvalidValues }));
}

/** A stored selector with values that no label can have keeps them. */
export function hasBadValues(selector: DraftSelector | undefined): boolean {
  return labelSelectorFaults(selector as LabelSelector | undefined, '').some(fault => fault.path.includes('values'));
}

export function isUnsound(selector: DraftSelector | undefined): boolean {
  return labelSelectorFaults(selector as LabelSelector | undefined, '').length > 0;
}
