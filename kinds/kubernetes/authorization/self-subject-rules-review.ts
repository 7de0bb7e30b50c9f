import { aggregate } from '../../../apimachinery/errors/aggregate.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import type { AccessPorts } from '../../../registry/access.js';
import type { SelfSubjectRulesReview } from '../../../api/kubernetes/authorization.js';
import type { Review } from './subject-access-review.js';

/** Returns what the requester may do in a namespace. The answer is a new object without any part of the request. */
export function reviewSelfRules({ rulesFor }: Pick<AccessPorts, 'rulesFor'>): Review {
  return async ({ user }, object) => {
    const { apiVersion, kind, spec } = object as SelfSubjectRulesReview;
    const namespace = spec?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, incomplete, errors } = await rulesFor(user, namespace);
    const answer = {
      resourceRules: rules
        .filter(({ resources = [] }) => resources.length > 0)
        .map(({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }) => ({
          verbs: [...verbs],
          ...(apiGroups.length > 0 && { apiGroups: [...apiGroups] }),
          resources: [...resources],
          ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
        })),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] })),
      incomplete,
      ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
    };
    return { apiVersion, kind, metadata: {}, spec: {}, status: answer };
  };
}
