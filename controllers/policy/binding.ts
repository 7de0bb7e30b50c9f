import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import { bindingName } from '../../api/karmada/names.js';
import type {
  Binding,
  BindingSpec,
  Component,
  Policy,
  ReplicaRequirements,
  Suspension,
} from '../../api/karmada/types.js';
import { finalizers } from '../../api/karmada/well-known.js';
import { claimOf, putClaim } from './claim.js';

/** Facts about a template, from the interpreter and the API. */
export interface TemplateFacts {
  readonly replicas?: number;
  readonly requirements?: ReplicaRequirements | undefined;
  readonly components?: readonly Component[];
  /** Value of the PriorityClass of the policy. */
  readonly priority?: number;
  /** Groups of the template, as `affinityGroups` returns them. */
  readonly affinityGroups?: BindingSpec['workloadAffinityGroups'];
}

/** Returns the binding of a policy for a template: a ResourceBinding for namespaced templates, a ClusterResourceBinding for others. */
export function desiredBinding(template: KubeObject, policy: Policy, facts: TemplateFacts): Binding {
  const { name = '', namespace, uid = '', resourceVersion = '' } = template.metadata;
  const { spec } = policy;
  const placement = spec.placement ?? {};
  const binding: Binding = {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: namespace ? 'ResourceBinding' : 'ClusterResourceBinding',
    metadata: {
      name: bindingName(template.kind, name),
      ...(namespace ? { namespace } : {}),
      ownerReferences: [controllerReference(template)],
      finalizers: [namespace ? finalizers.binding : finalizers.clusterBinding],
    },
    spec: prune({
      resource: prune({ apiVersion: template.apiVersion, kind: template.kind, namespace, name, uid, resourceVersion }),
      propagateDeps: spec.propagateDeps || undefined,
      schedulerName: spec.schedulerName || undefined,
      placement: cloneJson(placement),
      failover: spec.failover,
      conflictResolution: spec.conflictResolution,
      preserveResourcesOnDeletion: spec.preserveResourcesOnDeletion,
      replicas: facts.replicas || undefined,
      replicaRequirements: facts.requirements,
      components: facts.components,
      suspension: spec.suspension,
      schedulePriority: facts.priority === undefined ? undefined : { priority: facts.priority },
      workloadAffinityGroups: facts.affinityGroups,
    }) as BindingSpec,
  };
  putClaim(binding, claimOf(policy));
  return binding;
}

/** Returns the affinity groups of a workload, as `key=value` of the labels in the policy. as pkg/detector getWorkloadAffinityGroups */
export function affinityGroups({ metadata }: KubeObject, { spec }: Policy): BindingSpec['workloadAffinityGroups'] {
  const group = (key: string | undefined): string | undefined => {
    const value = key === undefined ? undefined : metadata.labels?.[key];
    return value === undefined ? undefined : `${key}=${value}`;
  };
  const affinityGroup = group(spec.placement?.workloadAffinity?.affinity?.groupByLabelKey);
  const antiAffinityGroup = group(spec.placement?.workloadAffinity?.antiAffinity?.groupByLabelKey);
  if (!affinityGroup && !antiAffinityGroup) return undefined;
  return prune({ affinityGroup, antiAffinityGroup });
}

/** Fields of a binding's spec that the policy determines. Others write targets, evictions and requests to reschedule, which are kept. */
const owned = [
  'resource',
  'replicaRequirements',
  'replicas',
  'components',
  'propagateDeps',
  'schedulerName',
  'placement',
  'failover',
  'conflictResolution',
  'preserveResourcesOnDeletion',
  'schedulePriority',
  'workloadAffinityGroups',
] as const;

/** Sets a field to its value in `desired`, or removes it. */
function copyField<F extends (typeof owned)[number]>(spec: Binding['spec'], desired: Binding['spec'], field: F): void {
  if (desired[field] === undefined) delete spec[field];
  else spec[field] = desired[field];
}

/** Updates the draft of an existing binding to the desired one. */
export function refreshBinding(draft: Binding, desired: Binding, policy: Policy): void {
  const { metadata } = draft;
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), ...(desired.metadata.finalizers ?? [])])];
  metadata.ownerReferences = desired.metadata.ownerReferences ?? [];
  putClaim(draft, claimOf(policy));
  for (const field of owned) copyField(draft.spec, desired.spec, field);
  const suspension = mergeSuspension(draft.spec.suspension, desired.spec.suspension);
  if (suspension) draft.spec.suspension = suspension;
  else delete draft.spec.suspension;
}

/** Returns the suspension of dispatching by the policy, together with the existing suspension of scheduling, which others write. */
function mergeSuspension(existing: Suspension | undefined, desired: Suspension | undefined): Suspension | undefined {
  const { dispatching, dispatchingOnClusters } = desired ?? {};
  const merged = prune({ dispatching, dispatchingOnClusters, scheduling: existing?.scheduling });
  return desired || Object.keys(merged).length > 0 ? merged : undefined;
}

function prune<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
