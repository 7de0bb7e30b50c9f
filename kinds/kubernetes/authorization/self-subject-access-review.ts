import type { AccessPorts } from '../../../registry/access.js';
import type { SelfSubjectAccessReview } from '../../../api/kubernetes/authorization.js';
import {
  answered,
  attributeFaults,
  invalidReview,
  reviewMetadataFaults,
  questionOf,
  targetFaults,
} from './access-review.js';
import type { Review } from './subject-access-review.js';

/** Reviews whether the requester may do something. */
export function reviewSelfAccess({ authorize }: Pick<AccessPorts, 'authorize'>): Review {
  return async ({ user }, object) => {
    const { spec = {}, metadata } = object as SelfSubjectAccessReview;
    const faults = [
      ...targetFaults(spec),
      ...attributeFaults(spec),
      ...reviewMetadataFaults(metadata, [], 'must be empty'),
    ];
    if (faults.length > 0) throw invalidReview(faults);
    const { attributes, errors } = questionOf(spec);
    return answered(object, await authorize(user, attributes), errors);
  };
}
