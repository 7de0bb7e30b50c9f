import { aggregate } from '../../../apimachinery/errors/aggregate.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import { type InSteps, inTimeSlices, Strides } from '../../../lib/time-slice.js';
import type { AccessPorts, UserRules } from '../../../registry/access.js';
import type { SelfSubjectRulesReview } from '../../../api/kubernetes/authorization.js';
import type { Review } from './subject-access-review.js';

type Rule = UserRules['rules'][number];

const resourceRule = ({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }: Rule): object => ({
  verbs: [...verbs],
  ...(apiGroups.length > 0 && { apiGroups: [...apiGroups] }),
  resources: [...resources],
  ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
});

const nonResourceRule = ({ verbs = [], nonResourceURLs = [] }: Rule): object => ({
  verbs: [...verbs],
  nonResourceURLs: [...nonResourceURLs],
});

/** Copies the rules of a user in steps: many roles together may have a hundred thousand. */
function* copies(rules: readonly Rule[]): InSteps<{ resourceRules: object[]; nonResourceRules: object[] }> {
  const [resourceRules, nonResourceRules]: [object[], object[]] = [[], []];
  const strides = new Strides();
  for (const rule of rules) {
    if ((rule.resources ?? []).length > 0) resourceRules.push(resourceRule(rule));
    if ((rule.nonResourceURLs ?? []).length > 0) nonResourceRules.push(nonResourceRule(rule));
    if (strides.isOver) yield;
  }
  return { resourceRules, nonResourceRules };
}

/** Returns what the requester may do in a namespace. The answer is a new object without any part of the request. */
export function reviewSelfRules({ rulesFor }: Pick<AccessPorts, 'rulesFor'>): Review {
  return async ({ user }, object) => {
    const { apiVersion, kind, spec } = object as SelfSubjectRulesReview;
    const namespace = spec?.namespace ?? '';
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, incomplete, errors } = await rulesFor(user, namespace);
    const answer = {
      ...(await inTimeSlices(copies(rules))),
      incomplete,
      ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
    };
    return { apiVersion, kind, metadata: {}, spec: {}, status: answer };
  };
}
