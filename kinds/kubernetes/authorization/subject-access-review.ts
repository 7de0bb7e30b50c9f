import type { Fault } from '../../../apimachinery/interface.js';
import { invalidValue } from '../../../apimachinery/errors/faults.js';
import type { AccessPorts } from '../../../registry/access.js';
import type { Identity } from '../../../apimachinery/identity.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import type { SubjectAccessReview } from '../../../api/kubernetes/authorization.js';
import {
  answered,
  attributeFaults,
  invalidReview,
  reviewMetadataFaults,
  questionOf,
  targetFaults,
} from './access-review.js';

export type Review = NonNullable<ResourceDefinition['review']>;
type SubjectSpec = NonNullable<SubjectAccessReview['spec']>;

/** as pkg/apis/authorization/validation/validation.go ValidateSubjectAccessReviewSpec */
export function subjectFaults(spec: SubjectSpec): readonly Fault[] {
  const nobody = (spec.user ?? '') === '' && (spec.groups ?? []).length === 0;
  return [
    ...targetFaults(spec),
    ...(nobody ? [invalidValue('spec.user', '', 'at least one of user or group must be specified')] : []),
    ...attributeFaults(spec),
  ];
}

/** Returns the user that a review asks about, who need not exist. */
export const subjectOf = (spec: SubjectSpec): Identity => ({
  name: spec.user ?? '',
  groups: spec.groups ?? [],
  ...(spec.uid && { uid: spec.uid }),
  ...(spec.extra && { extra: spec.extra }),
});

/** Reviews whether a user may do something. */
export function reviewSubjectAccess({ authorize }: Pick<AccessPorts, 'authorize'>): Review {
  return async (_call, object) => {
    const { spec = {}, metadata } = object as SubjectAccessReview;
    const faults = [...subjectFaults(spec), ...reviewMetadataFaults(metadata, [], 'must be empty')];
    if (faults.length > 0) throw invalidReview(faults);
    const { attributes, errors } = questionOf(spec);
    return answered(object, await authorize(subjectOf(spec), attributes), errors);
  };
}
