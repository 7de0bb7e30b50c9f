/** What a simulation works on: the objects of a control plane, with those of files in their place. */
import type { RemoteClient } from '../../aggregation/interface.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf, gvkOf, namespacedName } from '../../apimachinery/meta/gvk.js';
import type { Binding, Cluster, Policy } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import {
  clusterPolicy,
  completePolicy,
  namespacedPolicy,
  validatePolicy,
} from '../../kinds/karmada/policies/propagation-policy.js';
import { nativeResources } from '../../openapi/facts/resources.js';
import { UsageError } from '../flags/flags.js';
import type { LoadedObject } from '../read-objects.js';

/** All that decides where resources would be. */
export interface SimulationInput {
  readonly clusters: readonly Cluster[];
  readonly policies: readonly Policy[];
  readonly bindings: readonly Binding[];
  /** ResourceInterpreterCustomizations. */
  readonly customizations: readonly KubeObject[];
}

/** The objects of files, by what they are for. */
interface FileObjects extends SimulationInput {
  /** All other objects. */
  readonly templates: readonly KubeObject[];
}

const groupKinds = {
  clusters: ['cluster.karmada.io', 'Cluster'],
  policies: ['policy.karmada.io', 'PropagationPolicy'],
  clusterPolicies: ['policy.karmada.io', 'ClusterPropagationPolicy'],
  bindings: ['work.karmada.io', 'ResourceBinding'],
  clusterBindings: ['work.karmada.io', 'ClusterResourceBinding'],
  customizations: ['config.karmada.io', 'ResourceInterpreterCustomization'],
} as const;

const is = (object: KubeObject, ...kinds: readonly (keyof typeof groupKinds)[]): boolean => {
  const { group, kind } = gvkOf(object);
  return kinds.some(name => groupKinds[name][0] === group && groupKinds[name][1] === kind);
};

/** Returns whether objects of a kind have a namespace. Kinds that are not Kubernetes' own count as such that have one. */
function isNamespaced({ apiVersion, kind }: KubeObject): boolean {
  const native = nativeResources().find(known => known.kind === kind && apiVersionOf(known) === apiVersion);
  return native?.namespaced ?? true;
}

function withNamespace(object: KubeObject, namespace: string): KubeObject {
  const clusterWide =
    is(object, 'clusters', 'clusterPolicies', 'clusterBindings', 'customizations') || !isNamespaced(object);
  if (object.metadata.namespace || clusterWide) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Returns a policy as the server would store it. Throws a UsageError for one that it would refuse. */
function completed(policy: KubeObject, source: string, gates: FeatureGates): Policy {
  const spec = policy['spec'] as Policy['spec'] | undefined;
  if (!Array.isArray(spec?.resourceSelectors))
    throw new UsageError(`${source}: ${policy.kind} "${policy.metadata.name}" has no list spec.resourceSelectors`);
  const { namespace = '' } = policy.metadata;
  const scope = namespace === '' ? clusterPolicy : namespacedPolicy;
  const draft = structuredClone(policy) as Policy;
  const context = { operation: 'CREATE' as const, namespace, gates, newId: () => 'simulated' };
  completePolicy(scope)(draft, undefined, context);
  const refusal = validatePolicy(scope)(draft, undefined, context);
  if (refusal !== undefined)
    throw new UsageError(`${source}: ${policy.kind} "${policy.metadata.name}" is invalid: ${refusal}`);
  return draft;
}

/** Sorts the objects of files by what they are for. Objects without a namespace are in `namespace`. */
export function fileObjects(loaded: readonly LoadedObject[], namespace: string, gates: FeatureGates): FileObjects {
  const objects = loaded.map(({ source, object }) => ({ source, object: withNamespace(object, namespace) }));
  const of = (...kinds: readonly (keyof typeof groupKinds)[]) => objects.filter(({ object }) => is(object, ...kinds));
  const known = Object.keys(groupKinds) as (keyof typeof groupKinds)[];
  for (const { source, object } of objects)
    if (!object.metadata.name) throw new UsageError(`${source}: ${object.kind} has no metadata.name`);
  return {
    clusters: of('clusters').map(({ object }) => object as Cluster),
    policies: of('policies', 'clusterPolicies').map(({ source, object }) => completed(object, source, gates)),
    bindings: of('bindings', 'clusterBindings').map(({ object }) => object as Binding),
    customizations: of('customizations').map(({ object }) => object),
    templates: objects.filter(({ object }) => !is(object, ...known)).map(({ object }) => object),
  };
}

const pageSize = 500;

async function all<T extends KubeObject>(client: RemoteClient, resource: GroupVersionResource): Promise<T[]> {
  const objects: T[] = [];
  let next: string | undefined;
  do {
    const list = await client.list(resource, { limit: pageSize, ...(next && { continue: next }) });
    // A list of one kind: its items may lack what is the same for all.
    objects.push(...(list.items as T[]));
    next = list.metadata.continue;
  } while (next);
  return objects;
}

/** Reads the objects of a control plane. Writes nothing. */
export async function controlPlaneObjects(client: RemoteClient): Promise<SimulationInput> {
  const { interpreterCustomizations, propagationPolicies, clusterPropagationPolicies } = resources;
  return {
    clusters: await all(client, resources.clusters),
    policies: [
      ...(await all<Policy>(client, propagationPolicies)),
      ...(await all<Policy>(client, clusterPropagationPolicies)),
    ],
    bindings: [
      ...(await all<Binding>(client, resources.resourceBindings)),
      ...(await all<Binding>(client, resources.clusterResourceBindings)),
    ],
    customizations: await all(client, interpreterCustomizations),
  };
}

const identity = ({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject): string =>
  `${apiVersion} ${kind} ${namespacedName(namespace, name)}`;

/** Returns objects with those of files in the place of the ones with the same name. */
function replaced<T extends KubeObject>(objects: readonly T[], by: readonly T[]): T[] {
  return [...new Map([...objects, ...by].map(object => [identity(object), object])).values()];
}

/** Returns the input with the objects of files in the place of those with the same names. */
export const withFileObjects = (
  input: SimulationInput,
  { clusters, policies, bindings, customizations }: SimulationInput,
): SimulationInput => ({
  clusters: replaced(input.clusters, clusters),
  policies: replaced(input.policies, policies),
  bindings: replaced(input.bindings, bindings),
  customizations: replaced(input.customizations, customizations),
});
