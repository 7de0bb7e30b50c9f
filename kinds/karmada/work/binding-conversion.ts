/**
 * Converts bindings between v1alpha1 and v1alpha2; v1alpha2 is stored. v1alpha1 has only the resource, its replicas, the requirements of a
 * replica, and the clusters; all other fields are lost in v1alpha1, and unset after conversion back. as
 * pkg/apis/work/v1alpha1/binding_types_conversion.go
 */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import type { AggregatedStatusItem, Binding, ResourceList, TargetCluster } from '../../../api/karmada/types.js';

interface OldBinding extends KubeObject {
  spec: {
    resource: Omit<Binding['spec']['resource'], 'uid'> & { replicas?: number; resourcePerReplicas?: ResourceList };
    clusters?: Omit<TargetCluster, 'components'>[];
  };
  status?: Pick<NonNullable<Binding['status']>, 'conditions'> & {
    aggregatedStatus?: Omit<AggregatedStatusItem, 'health'>[];
  };
}

/** Returns the named fields of an object that are set. */
function pick<T extends object, K extends keyof T>(object: T, ...names: readonly K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const name of names) if (object[name] !== undefined) picked[name] = object[name];
  return picked as Pick<T, K>;
}

/** The object may have any shape: it is validated after conversion. */
const mapOf = <T extends object>(value: T | undefined): T =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : ({} as T);
const listOf = <T extends object>(value: readonly T[] | undefined): T[] | undefined =>
  Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : undefined;

const referenceFields = ['apiVersion', 'kind', 'namespace', 'name', 'resourceVersion'] as const;

/** Returns the fields that both versions have under the same names. Upstream's status is always present. */
function common({ kind, metadata, spec, status }: Binding | OldBinding) {
  const clusters = listOf<TargetCluster | Omit<TargetCluster, 'components'>>(mapOf(spec).clusters);
  const { conditions, aggregatedStatus: items } = mapOf<NonNullable<Binding['status'] | OldBinding['status']>>(status);
  const aggregatedStatus = listOf<Omit<AggregatedStatusItem, 'health'>>(items);
  const itemFields = ['clusterName', 'status', 'applied', 'appliedMessage'] as const;
  return {
    kind,
    metadata,
    clusters: clusters && { clusters: clusters.map(cluster => pick(cluster, 'name', 'replicas')) },
    status: {
      ...(conditions && { conditions }),
      ...(aggregatedStatus && { aggregatedStatus: aggregatedStatus.map(item => pick(item, ...itemFields)) }),
    },
  };
}

function toOld(binding: Binding): OldBinding {
  const { kind, metadata, clusters, status } = common(binding);
  const { resource, replicas, replicaRequirements } = mapOf(binding.spec);
  const resourcePerReplicas = replicaRequirements?.resourceRequest;
  return {
    kind,
    apiVersion: 'work.karmada.io/v1alpha1',
    metadata,
    spec: {
      resource: {
        ...pick(mapOf(resource), ...referenceFields),
        ...(replicas && { replicas }),
        ...(resourcePerReplicas && { resourcePerReplicas }),
      },
      ...clusters,
    },
    status,
  };
}

function toNew(binding: OldBinding): Binding {
  const { kind, metadata, clusters, status } = common(binding);
  const { replicas, resourcePerReplicas, ...resource } = mapOf(mapOf(binding.spec).resource);
  return {
    kind,
    apiVersion: 'work.karmada.io/v1alpha2',
    metadata,
    spec: {
      resource: pick(resource, ...referenceFields),
      ...(replicas && { replicas }),
      ...(resourcePerReplicas && { replicaRequirements: { resourceRequest: resourcePerReplicas } }),
      ...clusters,
    },
    status,
  };
}

/** The result shares parts with the given object, which is not changed. */
function convertBinding(object: KubeObject, toVersion: string): KubeObject {
  if (object.apiVersion === `work.karmada.io/${toVersion}`) return object;
  return toVersion === 'v1alpha1' ? toOld(object as Binding) : toNew(object as OldBinding);
}

/** Returns the conversion of a Karmada custom resource, by the name of its definition; undefined for all other resources. */
export function karmadaConversion(definition: string): Pick<Required<ResourceDefinition>, 'convert'> | undefined {
  const ours = ['resourcebindings.work.karmada.io', 'clusterresourcebindings.work.karmada.io'];
  return ours.includes(definition) ? { convert: convertBinding } : undefined;
}
