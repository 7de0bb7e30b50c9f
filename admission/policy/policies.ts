/** The current policies and bindings, which are compiled when they change and not per request. */
// as apiserver/pkg/admission/plugin/policy/generic policy_source.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
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
 * The policies and bindings in force. A change has constant cost; the next request sorts and matches them again. A policy is compiled once for each
 * of its states that a request matches.
 */
export class Policies<E> {
  readonly #catalogue: Catalogue;
  readonly #compile: (policy: KubeObject) => E;
  readonly #policies = new Map<string, AdmissionPolicy<E>>();
  readonly #bindings = new Map<string, PolicyBinding>();
  readonly #matched = renewed(() => this.#sorted());

  constructor(catalogue: Catalogue, compile: (policy: KubeObject) => E) {
    this.#catalogue = catalogue;
    this.#compile = compile;
  }

  /** Sets the current state of a policy; undefined after its deletion. */
  setPolicy(name: string, object: KubeObject | undefined): void {
    this.#matched.renew();
    if (object) this.#policies.set(name, policyOf(name, object, this.#compile));
    else this.#policies.delete(name);
  }

  /** Sets the current state of a binding; undefined after its deletion. */
  setBinding(name: string, object: KubeObject | undefined): void {
    this.#matched.renew();
    if (object) this.#bindings.set(name, { name, spec: object.spec ?? {} });
    else this.#bindings.delete(name);
  }

  /** hot: returns the policies that match the target of a request, sorted by name. */
  for(request: AdmissionRequest): readonly PolicyHook<E>[] {
    return this.#matched.get()(request);
  }

  #sorted(): Matched<PolicyHook<E>> {
    const all = sortedByName(this.#policies);
    const bound = new Map<string, PolicyBinding[]>();
    for (const binding of sortedByName(this.#bindings)) {
      const { policyName = '' } = binding.spec;
      bound.set(policyName, [...(bound.get(policyName) ?? []), binding]);
    }
    return matched(this.#catalogue, target =>
      all.flatMap(policy => hookAt(policy, bound.get(policy.name) ?? [], target, this.#catalogue) ?? []),
    );
  }
}
