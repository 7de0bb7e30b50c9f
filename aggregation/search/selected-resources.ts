import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { gvrText, readApiVersion } from '../../apimachinery/meta/gvk.js';
import type { Catalogue } from '../../registry/interface.js';
import { clusterMatches } from '../../kinds/karmada/cluster-affinity.js';
import type { FieldReaders } from './cached.js';
import { annotations } from '../../api/karmada/well-known.js';
import { keptPaths } from './kept-fields.js';
import type { Cluster, ResourceRegistry } from '../../api/karmada/types.js';

/** A resource of a cluster that registries select. */
export interface SelectedResource {
  /** The resource as text. */
  readonly id: string;
  readonly resource: GroupVersionResource;
  readonly kind: string;
  /** The fields of the version that selectors can name, besides name and namespace. */
  readonly fields: FieldReaders;
  readonly namespaced: boolean;
  /** Union of the namespaces of the registries; undefined for all. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Union of the paths of the fields that the registries keep, sorted; undefined for whole objects. */
  readonly keptPaths: readonly string[] | undefined;
}

/** Returns the paths of the fields that a registry keeps; undefined for whole objects. */
function pathsOf({ metadata }: ResourceRegistry): readonly string[] | undefined {
  const text = metadata.annotations?.[annotations.keptFields];
  return text === undefined ? undefined : keptPaths(text);
}

/** Returns the union of what two registries keep. */
const unionOf = (a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined =>
  a && b && [...new Set([...a, ...b])].sort();

/** Reports whether a cluster serves a kind; true if that is not known. as cluster/v1alpha1 Cluster.APIEnablement */
function serves({ status }: Cluster, apiVersion: string, kind: string): boolean {
  const group = status?.apiEnablements?.find(({ groupVersion }) => groupVersion === apiVersion);
  if (group?.resources?.some(resource => resource.kind === kind)) return true;
  return !isConditionTrue(status?.conditions, 'CompleteAPIEnablements');
}

/** Returns the resources of a cluster that registries select, by gvrText, without kinds that the control plane does not serve. */
export function selectedResources(
  cluster: Cluster,
  registries: readonly ResourceRegistry[],
  catalogue: Catalogue,
): ReadonlyMap<string, SelectedResource> {
  const selected = new Map<string, SelectedResource>();
  for (const registry of registries) {
    const { spec } = registry;
    if (!clusterMatches(cluster, spec.targetCluster)) continue;
    const paths = pathsOf(registry);
    for (const { apiVersion, kind, namespace } of spec.resourceSelectors ?? []) {
      const type = readApiVersion(apiVersion);
      const definition = type && catalogue.forKind({ ...type, kind });
      if (!definition || !serves(cluster, apiVersion, kind)) continue;
      const resource = { group: type.group, version: type.version, resource: definition.plural };
      const id = gvrText(resource);
      const known = selected.get(id);
      const all = !namespace || !definition.namespaced || (known && !known.namespaces);
      const namespaces = all ? undefined : new Set([...(known?.namespaces ?? []), namespace]);
      const fields = definition.versions.find(({ name }) => name === type.version)?.selectableFields ?? {};
      const keptPaths = known ? unionOf(known.keptPaths, paths) : unionOf(paths, paths);
      selected.set(id, { id, resource, kind, fields, namespaced: definition.namespaced, namespaces, keptPaths });
    }
  }
  return selected;
}

/** Returns the kind of a resource; undefined if the control plane does not serve this version of it. */
export const kindOf = (catalogue: Catalogue, resource: GroupVersionResource): string | undefined =>
  catalogue.find(resource)?.kind;
