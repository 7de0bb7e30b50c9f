/** Policies and their bindings as they stand, read once: when they change, not with every request. */
// as apiserver/pkg/admission/plugin/policy/generic policy_source.go
import type { KubeObject } from '../../../openapi/interface.js';
import { once } from '../../../openapi/meta/once.js';
import type { Catalogue } from '../../interface.js';
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from '../../kinds/types/admissionregistration.js';
import { type Matched, matched } from '../matching/matched.js';
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
  /** hot: those that are about the place of a request, by name. */
  readonly for: Matched<PolicyHook<E>>;
}

type Objects = ReadonlyMap<string, KubeObject>;

const sorted = (objects: Objects): KubeObject[] =>
  [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);

/** `compile`: what a policy says; called once for each state of a policy that a request meets. */
export function policyReader<E>(
  catalogue: Catalogue,
  compile: (policy: KubeObject) => E,
): (policies: Objects, bindings: Objects) => Policies<E> {
  const made = new WeakMap<KubeObject, Policy<E>>();
  const policyOf = (object: KubeObject): Policy<E> => {
    const known = made.get(object);
    if (known) return known;
    const spec = (object.spec ?? {}) as PolicySpec;
    const { name = '' } = object.metadata;
    // Where it is needed: what cannot be read must not keep all the others from being in force.
    const evaluator = once(() => compile(object));
    const policy: Policy<E> = {
      ...{ name, spec, failsOpen: spec.failurePolicy === 'Ignore' },
      get evaluator() {
        return evaluator();
      },
    };
    made.set(object, policy);
    return policy;
  };
  return (policies, bindings) => {
    const all = sorted(policies).map(policyOf);
    const bound = sorted(bindings).map(({ metadata, spec }): Binding => ({
      name: metadata.name ?? '',
      spec: spec ?? {},
    }));
    return {
      for: matched(catalogue, place =>
        all.flatMap(policy => {
          const applied = appliedAt(policy.spec.matchConstraints, place, catalogue);
          if (!applied) return [];
          const own = bound
            .filter(({ spec }) => spec.policyName === policy.name)
            .flatMap(binding => {
              const there = appliedAt(binding.spec.matchResources, place, catalogue);
              return there ? [{ binding, applied: there }] : [];
            });
          return own.length === 0 ? [] : [{ policy, applied, bindings: own }];
        }),
      ),
    };
  };
}
