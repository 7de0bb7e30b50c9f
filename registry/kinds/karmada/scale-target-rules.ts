import { checkPathSegmentName } from '../../../openapi/meta/names.js';
import type { Field } from '../shared/field.js';
import type { CrossVersionObjectReference } from '../types/autoscaling.js';

/** A reference to something that can be scaled. */
// as pkg/util/lifted ValidateCrossVersionObjectReference
export function scaleTarget(reference: Field<CrossVersionObjectReference>): void {
  for (const field of [reference.at('kind'), reference.at('name')]) {
    if (field.isEmpty) field.required();
    else field.check(checkPathSegmentName);
  }
}
