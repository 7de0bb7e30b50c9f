/** Policies and their bindings as they stand, read once: when they change, not with every request. */
// as apiserver/pkg/admission/plugin/policy/generic policy_source.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import type { Catalogue } from '../../registry/interface.js';
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../api/kubernetes/admissionregistration.js';
import { type Matched, inOrder, matched, renewed } from '../matching/matched.js';
import type { Place } from '../matching/place.js';
import { type Applied, appliedAt } from './applies.js';

/** What both kinds of policies have. */
export type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec,
  'failurePolicy' | 'matchConditions' | 'matchConstraints' | 'paramKind' | 'variables'
>;

export interface Policy<E> {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly failsOpen: boolean;
  /** What it says, ready to run. */
  readonly evaluator: E;
}

export interface Binding {
  readonly name: string;
  /** Those of mutating policies have no validationActions. */
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface Bound {
  readonly binding: Binding;
  readonly applied: Applied;
}

/** A policy that is about a place, with the bindings that may put it to work there. */
export interface PolicyHook<E> {
  readonly policy: Policy<E>;
  readonly applied: Applied;
  readonly bindings: readonly Bound[];
}

export interface Policies<E> {
  /** A policy as it stands now; undefined: it is gone. */
  setPolicy(name: string, object: KubeObject | undefined): void;
  setBinding(name: string, object: KubeObject | undefined): void;
  /** hot: those that are about the place of a request, by name. */
  readonly for: Matched<PolicyHook<E>>;
}

function policyOf<E>(name: string, object: KubeObject, compile: (policy: KubeObject) => E): Policy<E> {
  const spec = (object.spec ?? {}) as PolicySpec;
  // Where it is needed: what cannot be read must not keep all the others from being in force.
  const evaluator = once(() => compile(object));
  return {
    ...{ name, spec, failsOpen: spec.failurePolicy === 'Ignore' },
    get evaluator() {
      return evaluator();
    },
  };
}

/** Of a place: the policy, if it is about it and one of its bindings is. */
function hookAt<E>(
  policy: Policy<E>,
  bindings: readonly Binding[],
  place: Place,
  catalogue: Catalogue,
): PolicyHook<E> | undefined {
  const applied = appliedAt(policy.spec.matchConstraints, place, catalogue);
  if (!applied) return undefined;
  const own = bindings.flatMap(binding => {
    const there = appliedAt(binding.spec.matchResources, place, catalogue);
    return there ? [{ binding, applied: there }] : [];
  });
  return own.length === 0 ? undefined : { policy, applied, bindings: own };
}

/**
 * Policies and bindings in force. What a change costs does not depend on the others; the next request puts them in order. `compile`: what
 * a policy says; called once for each state of a policy that a request meets.
 */
export function createPolicies<E>(catalogue: Catalogue, compile: (policy: KubeObject) => E): Policies<E> {
  const policies = new Map<string, Policy<E>>();
  const bindings = new Map<string, Binding>();
  const inForce = renewed((): Matched<PolicyHook<E>> => {
    const all = inOrder(policies);
    const bound = new Map<string, Binding[]>();
    for (const binding of inOrder(bindings)) {
      const { policyName = '' } = binding.spec;
      bound.set(policyName, [...(bound.get(policyName) ?? []), binding]);
    }
    return matched(catalogue, place =>
      all.flatMap(policy => hookAt(policy, bound.get(policy.name) ?? [], place, catalogue) ?? []),
    );
  });
  return {
    setPolicy(name, object) {
      inForce.renew();
      if (object) policies.set(name, policyOf(name, object, compile));
      else policies.delete(name);
    },
    setBinding(name, object) {
      inForce.renew();
      if (object) bindings.set(name, { name, spec: object.spec ?? {} });
      else bindings.delete(name);
    },
    for: request => inForce.get()(request),
  };
}
