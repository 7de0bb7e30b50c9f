import { invalidValue } from '../../../apimachinery/errors/faults.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import type { AccessPorts } from '../../../registry/access.js';
import type { LocalSubjectAccessReview } from '../../../api/kubernetes/authorization.js';
import { answered, invalidReview, reviewMetadataFaults, pathFaults, questionOf } from './access-review.js';
import { subjectFaults, subjectOf, type Review } from './subject-access-review.js';

/** Reviews whether a user may do something in this namespace. */
export function reviewLocalSubjectAccess({ authorize }: Pick<AccessPorts, 'authorize'>): Review {
  return async ({ namespace }, object) => {
    const { spec = {}, metadata } = object as LocalSubjectAccessReview;
    const requested = spec.resourceAttributes;
    const elsewhere = requested && (requested.namespace ?? '') !== (metadata.namespace ?? '');
    const faults = [
      ...subjectFaults(spec),
      ...reviewMetadataFaults(metadata, ['namespace'], 'must be empty except for namespace'),
      ...(elsewhere
        ? [
            invalidValue(
              'spec.resourceAttributes.namespace',
              requested.namespace ?? '',
              'must match metadata.namespace',
            ),
          ]
        : []),
      ...pathFaults(spec),
    ];
    if (faults.length > 0) throw invalidReview(faults);
    if (namespace !== metadata.namespace)
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    const { attributes, errors } = questionOf(spec);
    return answered(object, await authorize(subjectOf(spec), attributes), errors);
  };
}
