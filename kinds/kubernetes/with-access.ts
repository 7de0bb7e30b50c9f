/** Completes definitions that depend on authentication and authorization. */
import type { AccessPorts } from '../../registry/access.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { paramKindAccess, paramRefAccess } from './admissionregistration/param-access.js';
import { reviewSelf } from './authentication/self-subject-review.js';
import { tokenSubresource } from './authentication/token-request.js';
import { reviewToken } from './authentication/token-review.js';
import { reviewLocalSubjectAccess } from './authorization/local-subject-access-review.js';
import { reviewSelfAccess } from './authorization/self-subject-access-review.js';
import { reviewSelfRules } from './authorization/self-subject-rules-review.js';
import { reviewSubjectAccess } from './authorization/subject-access-review.js';
import { certificateRules } from './certificates/certificate-signing-request.js';
import { claimStatusAccess } from './resource/claim-status-access.js';

type Completion = (definition: ResourceDefinition) => ResourceDefinition;

function completions(ports: AccessPorts, clock: () => Date): Readonly<Record<string, Completion>> {
  const review =
    (review: NonNullable<ResourceDefinition['review']>): Completion =>
    definition => ({ ...definition, review });
  const certificates = certificateRules(ports);
  const policies = 'admissionregistration.k8s.io';
  return {
    [`${policies}/ValidatingAdmissionPolicy`]: paramKindAccess(ports.authorize),
    [`${policies}/MutatingAdmissionPolicy`]: paramKindAccess(ports.authorize),
    [`${policies}/ValidatingAdmissionPolicyBinding`]: paramRefAccess(ports.authorize, 'validatingadmissionpolicies'),
    [`${policies}/MutatingAdmissionPolicyBinding`]: paramRefAccess(ports.authorize, 'mutatingadmissionpolicies'),
    'authentication.k8s.io/TokenReview': review(reviewToken(ports)),
    'authentication.k8s.io/SelfSubjectReview': review(reviewSelf(clock)),
    'authorization.k8s.io/SubjectAccessReview': review(reviewSubjectAccess(ports)),
    'authorization.k8s.io/LocalSubjectAccessReview': review(reviewLocalSubjectAccess(ports)),
    'authorization.k8s.io/SelfSubjectAccessReview': review(reviewSelfAccess(ports)),
    'authorization.k8s.io/SelfSubjectRulesReview': review(reviewSelfRules(ports)),
    'certificates.k8s.io/CertificateSigningRequest': definition => ({
      ...definition,
      strategy: certificates.strategy,
      subresources: { ...definition.subresources, ...certificates.subresources },
    }),
    'resource.k8s.io/ResourceClaim': claimStatusAccess(ports),
    '/ServiceAccount': definition => ({
      ...definition,
      subresources: { ...definition.subresources, token: tokenSubresource(ports, clock) },
    }),
  };
}

/** Returns the same definitions, with those of reviews, policies, certificates and tokens completed. */
export function withAccess(
  definitions: readonly ResourceDefinition[],
  ports: AccessPorts,
  clock: () => Date,
): readonly ResourceDefinition[] {
  const all = completions(ports, clock);
  return definitions.map(definition => all[`${definition.group}/${definition.kind}`]?.(definition) ?? definition);
}
