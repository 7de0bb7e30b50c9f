/** The current policies and bindings, which are compiled when they change and not per request. */
// as apiserver/pkg/admission/plugin/policy/generic policy_source.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import type { Catalogue } from '../../registry/interface.js';
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../api/kubernetes/admissionregistration.js';
import { type Matched, sortedByName, matched, renewed } from '../matching/matched.js';
import type { RequestTarget } from '../matching/request-target.js';
import { type PolicyMatches, matchesAt } from './applies.js';

/** The common fields of both kinds of policies. */
type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec & MutatingAdmissionPolicySpec,
  'failurePolicy' | 'matchConditions' | 'matchConstraints' | 'paramKind' | 'variables'
>;

export interface AdmissionPolicy<E> {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly failsOpen: boolean;
  /** The compiled policy. */
  readonly evaluator: E;
}

export interface PolicyBinding {
  readonly name: string;
  /** Spec; a mutating policy's has no validationActions. */
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

interface Bound {
  readonly binding: PolicyBinding;
  readonly applied: PolicyMatches;
}

/** A policy that matches a target, with its bindings that match, too. */
export interface PolicyHook<E> {
  readonly policy: AdmissionPolicy<E>;
  readonly applied: PolicyMatches;
  readonly bindings: readonly Bound[];
}

interface Policies<E> {
  /** Sets the current state of a policy; undefined after its deletion. */
  readonly setPolicy: (name: string, object: KubeObject | undefined) => void;
  readonly setBinding: (name: string, object: KubeObject | undefined) => void;
  /** hot: returns the policies that match the target of a request, sorted by name. */
  readonly for: Matched<PolicyHook<E>>;
}

function policyOf<E>(name: string, object: KubeObject, compile: (policy: KubeObject) => E): AdmissionPolicy<E> {
  const spec = (object.spec ?? {}) as PolicySpec;
  // Compiled on first use, so that an invalid policy does not affect the others.
  const evaluator = once(() => compile(object));
  return {
    ...{ name, spec, failsOpen: spec.failurePolicy === 'Ignore' },
    get evaluator() {
      return evaluator();
    },
  };
}

/** Returns the hook of a policy for a target; undefined if the policy or all of its bindings do not match. */
function hookAt<E>(
  policy: AdmissionPolicy<E>,
  bindings: readonly PolicyBinding[],
  target: RequestTarget,
  catalogue: Catalogue,
): PolicyHook<E> | undefined {
  const applied = matchesAt(policy.spec.matchConstraints, target, catalogue);
  if (!applied) return undefined;
  const matching = bindings.flatMap(binding => {
    const match = matchesAt(binding.spec.matchResources, target, catalogue);
    return match ? [{ binding, applied: match }] : [];
  });
  return matching.length === 0 ? undefined : { policy, applied, bindings: matching };
}

/**
 * Creates the set of policies and bindings. A change has constant cost; the next request sorts and matches them again. `compile` is
 * called once for each state of a policy that a request matches.
 */
export function createPolicies<E>(catalogue: Catalogue, compile: (policy: KubeObject) => E): Policies<E> {
  const policies = new Map<string, AdmissionPolicy<E>>();
  const bindings = new Map<string, PolicyBinding>();
  const inForce = renewed((): Matched<PolicyHook<E>> => {
    const all = sortedByName(policies);
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of sortedByName(bindings)) {
      const { policyName = '' } = binding.spec;
      bound.set(policyName, [...(bound.get(policyName) ?? []), binding]);
    }
    return matched(catalogue, target =>
      all.flatMap(policy => hookAt(policy, bound.get(policy.name) ?? [], target, catalogue) ?? []),
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
