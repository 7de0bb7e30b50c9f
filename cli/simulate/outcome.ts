import type { KubeObject } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { bindingName } from '../../api/karmada/names.js';
import type { Binding, Cluster, Policy, TargetCluster } from '../../api/karmada/types.js';
import { affinityGroups, desiredBinding, refreshBinding } from '../../controllers/policy/binding.js';
import { choosePolicy } from '../../controllers/policy/choose.js';
import { claimedBy, claimOf } from '../../controllers/policy/claim.js';
import { interpret } from '../../controllers/policy/interpret.js';
import type { Interpreter } from '../../controllers/interpreter/interface.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import { explainDecision } from '../../scheduler/explain/explain.js';
import type { SchedulingExplanation } from '../../scheduler/explain/explanation.js';
import type { EstimateQuery, EstimateTable, ScheduleOptions, SchedulingInput } from '../../scheduler/interface.js';
import type { SimulationInput } from './simulation-input.js';
import { evicted } from './taints.js';

/** What would become of one resource. */
export type SimulatedOutcome = {
  /** `Deployment default/web`. */
  readonly resource: string;
} & (
  | { readonly state: 'noPolicy' }
  | { readonly state: 'failed'; readonly error: string }
  | {
      /** `notPlaced`: the scheduler finds no clusters, or too little room. */
      readonly state: 'new' | 'moved' | 'unchanged' | 'notPlaced';
      readonly policy: string;
      readonly current: readonly TargetCluster[];
      /** The targets after what the scheduler would do: nothing, if the explanation has no causes. */
      readonly next: readonly TargetCluster[];
      readonly explanation: SchedulingExplanation;
    }
);

interface SimulationDeps {
  readonly input: SimulationInput;
  readonly interpreter: Interpreter;
  readonly gates: FeatureGates;
  /** NoExecute taints drive targets away. */
  readonly evicts: boolean;
  readonly options: ScheduleOptions;
  /** Returns the estimates of members. Absent: they are not asked. */
  readonly answer?: ((query: EstimateQuery) => Promise<EstimateTable>) | undefined;
}

const placeOf = ({ namespace, name = '' }: KubeObject['metadata']): string => namespacedName(namespace, name);

const bindingKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

/** The recorder of a process that writes nothing. */
const silent = { event: (): void => undefined };

function isSameTargets(a: readonly TargetCluster[], b: readonly TargetCluster[]): boolean {
  const before = new Map(a.map(({ name, replicas = 0 }) => [name, replicas]));
  return a.length === b.length && b.every(({ name, replicas = 0 }) => before.get(name) === replicas);
}

function stateOf(
  current: readonly TargetCluster[],
  next: readonly TargetCluster[],
  isPlaced: boolean,
): 'new' | 'moved' | 'unchanged' | 'notPlaced' {
  if (!isPlaced) return 'notPlaced';
  if (isSameTargets(current, next)) return 'unchanged';
  return current.length > 0 ? 'moved' : 'new';
}

/** Decides what would become of resources, by the functions with which the control plane decides. Writes nothing. */
export class Simulation {
  readonly #deps: SimulationDeps;
  readonly #clusters: ReadonlyMap<string, Cluster>;
  readonly #bindings: ReadonlyMap<string, Binding>;

  constructor(deps: SimulationDeps) {
    this.#deps = deps;
    const { clusters, bindings } = deps.input;
    this.#clusters = new Map(clusters.map(cluster => [cluster.metadata.name ?? '', cluster]));
    this.#bindings = new Map(
      bindings.map(binding => [bindingKey(binding.metadata.namespace, binding.metadata.name ?? ''), binding]),
    );
  }

  /** Returns what would become of a template. */
  async ofTemplate(template: KubeObject): Promise<SimulatedOutcome> {
    const { kind, metadata } = template;
    const resource = `${kind} ${placeOf(metadata)}`;
    const policy = this.#policyFor(template);
    if (!policy) return { resource, state: 'noPolicy' };
    const existing = this.#bindings.get(bindingKey(metadata.namespace, bindingName(kind, metadata.name ?? '')));
    const { interpreter, gates } = this.#deps;
    try {
      const interpreted = await interpret(template, { interpreter, gates, recorder: silent });
      const groups = gates.WorkloadAffinity ? affinityGroups(template, policy) : undefined;
      const desired = desiredBinding(template, policy, { ...interpreted, affinityGroups: groups });
      if (!existing) return await this.#decided(resource, desired, policy);
      const refreshed = structuredClone(existing);
      refreshBinding(refreshed, desired, policy);
      return await this.#decided(resource, refreshed, policy);
    } catch (error) {
      return { resource, state: 'failed', error: (error as Error).message };
    }
  }

  /** Returns what would become of a resource that has a binding, with the placement that its policy has in the input. */
  async ofBinding(binding: Binding): Promise<SimulatedOutcome> {
    const { kind, namespace, name } = binding.spec.resource;
    const resource = `${kind} ${placeOf({ ...(namespace && { namespace }), name })}`;
    const claim = claimedBy(binding);
    const policy = this.#deps.input.policies.find(({ kind, metadata }) =>
      claim
        ? kind === claim.kind && (metadata.namespace ?? '') === claim.namespace && metadata.name === claim.name
        : false,
    );
    const { placement = binding.spec.placement } = policy?.spec ?? {};
    const spec = { ...binding.spec, ...(placement && { placement }) };
    try {
      return await this.#decided(resource, { ...binding, spec }, policy);
    } catch (error) {
      return { resource, state: 'failed', error: (error as Error).message };
    }
  }

  async #decided(resource: string, binding: Binding, policy: Policy | undefined): Promise<SimulatedOutcome> {
    const current = binding.spec.clusters ?? [];
    const explanation = await explainDecision({
      binding: this.#deps.evicts ? evicted(binding, this.#clusters) : binding,
      current,
      clusters: [...this.#clusters.values()],
      peers: this.#peers(binding),
      options: this.#deps.options,
      answer: this.#deps.answer,
    });
    const decides = explanation.causes.length > 0;
    const next = decides ? explanation.next : current;
    const state = stateOf(current, next, !decides || explanation.decisions.at(-1)?.type === 'placed');
    const claim = policy && claimOf(policy);
    const name = claim
      ? `${claim.kind} ${placeOf({ ...(claim.namespace && { namespace: claim.namespace }), name: claim.name })}`
      : '';
    return { resource, state, policy: name, current, next, explanation };
  }

  #peers({ metadata, spec }: Binding): SchedulingInput['peers'] {
    if (!spec.workloadAffinityGroups || !metadata.namespace) return undefined;
    const others = [...this.#bindings.values()].filter(
      other => other.metadata.namespace === metadata.namespace && other.metadata.name !== metadata.name,
    );
    return (group, value) => others.filter(other => other.spec.workloadAffinityGroups?.[group] === value);
  }

  /** Returns the policy that applies: a namespaced one before those of the cluster. A claim of another policy is not considered. */
  #policyFor(template: KubeObject): Policy | undefined {
    const { policies } = this.#deps.input;
    const policiesOf = (namespace: string): Policy[] =>
      policies.filter(({ metadata }) => (metadata.namespace ?? '') === namespace);
    const { namespace } = template.metadata;
    return (
      (namespace ? choosePolicy(policiesOf(namespace), template) : undefined) ?? choosePolicy(policiesOf(''), template)
    );
  }
}
