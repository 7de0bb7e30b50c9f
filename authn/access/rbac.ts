/** Role based access control: functions over the policy. */
import { aggregate } from '../../apimachinery/errors/aggregate.js';
import { goQuote } from '../../lib/go/go-text.js';
import { andThen, type Maybe } from '../../lib/maybe.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { PolicyRule } from '../../api/kubernetes/rbac.js';
import type { Authorizer } from '../interface.js';
import { matchingSubject, type RbacBinding, type RbacPolicy } from './policy.js';
import { ruleAllows } from './rule.js';

// as pkg/registry/rbac/validation/rule.go describeSubject, roleBindingDescriber
function describe(binding: RbacBinding, user: Identity): string {
  const { name, namespace, roleRef } = binding;
  const subject = matchingSubject(binding, user);
  const whole =
    subject?.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject?.name;
  const subjectText = `${subject?.kind ?? ''} ${goQuote(whole ?? '')}`;
  const bindingText =
    namespace === '' ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  return `${bindingText} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subjectText}`;
}

/**
 * Returns the authorizer of a policy: it allows what a rule allows, and has no opinion otherwise. as plugin/pkg/auth/authorizer/rbac RBACAuthorizer
 */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return (user, attributes) => {
    const namespace = attributes.type === 'resource' ? attributes.namespace : '';
    const errors: string[] = [];
    let allowedBy: RbacBinding | undefined;
    const visiting = visit(policy, user, namespace, found => {
      if ('error' in found) errors.push(found.error);
      else if (ruleAllows(found.rule, attributes)) allowedBy = found.binding;
      return allowedBy === undefined;
    });
    return andThen(visiting, () =>
      allowedBy === undefined
        ? { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${aggregate(errors)}` }
        : { allowed: true, reason: `RBAC: allowed by ${describe(allowedBy, user)}` },
    );
  };
}

/** Visits what applies to a user, in several turns of the event loop if it is much. hot: makes no promise for a few rules. */
function visit(policy: RbacPolicy, ...to: Parameters<RbacPolicy['visit']>): Maybe<void> {
  const steps = policy.visit(...to);
  if (steps.next().done !== true) return inTimeSlices(steps);
}

/** The rules of a user, and the errors of missing roles. */
interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

/** Returns every rule of a user in a namespace, and the errors of missing roles. */
export function rulesFor(policy: RbacPolicy, user: Identity, namespace: string): Maybe<HeldRules> {
  const rules: PolicyRule[] = [];
  const errors: string[] = [];
  const visiting = visit(policy, user, namespace, found => {
    if ('error' in found) errors.push(found.error);
    else rules.push(found.rule);
    return true;
  });
  return andThen(visiting, () => ({ rules, errors }));
}
