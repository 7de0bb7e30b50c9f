import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import type { DependentReference } from '../../interface.js';
import { sum } from '../aggregate.js';
import { healthyIf } from '../health.js';
import type { KindTable } from '../kind.js';
import { fieldAt, fieldIfAny, itemsOf } from '../read.js';
import { referenceTo } from '../references.js';
import { withoutEmpty } from '../without-empty.js';

const counters = ['matchedPods', 'updatedPods', 'readyPods'];

/** Returns the aggregated status without the spec, which the status subresource does not take. */
function aggregateStatus(object: KubeObject, items: readonly AggregatedStatusItem[]): KubeObject {
  const reports = { items, generation: 0 };
  const status = Object.fromEntries(counters.map(field => [field, sum(reports, field)]));
  const { apiVersion, kind, metadata } = object;
  return withoutEmpty({ apiVersion, kind, metadata, status });
}

function reflectStatus(object: KubeObject): JsonObject {
  if (fieldAt(object, 'status') === undefined) return {};
  return withoutEmpty(Object.fromEntries(counters.map(field => [field, fieldAt(object, 'status', field) ?? 0])));
}

/** A SidecarSet is healthy if all matched pods are updated. */
function isHealthy(object: KubeObject): boolean {
  if (fieldAt(object, 'status') === undefined) return false;
  const matched = fieldAt(object, 'status', 'matchedPods') ?? 0;
  return matched === 0 || (fieldAt(object, 'status', 'updatedPods') ?? 0) === matched;
}

const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] =>
  itemsOf(fieldIfAny(value, ...path) ?? [], path.join('.'));

/** Places in a container's `env`, `envFrom` and in volumes that refer to an object, with the field of its name. */
const sources = {
  env: [
    ['ConfigMap', 'name', 'valueFrom', 'configMapKeyRef'],
    ['Secret', 'name', 'valueFrom', 'secretKeyRef'],
  ],
  envFrom: [
    ['ConfigMap', 'name', 'configMapRef'],
    ['Secret', 'name', 'secretRef'],
  ],
  volume: [
    ['ConfigMap', 'name', 'configMap'],
    ['Secret', 'secretName', 'secret'],
  ],
  projected: [
    ['ConfigMap', 'name', 'configMap'],
    ['Secret', 'name', 'secret'],
  ],
} as const satisfies Record<string, readonly (readonly string[])[]>;

/** Returns what the sidecars need: Kruise adds their containers and volumes to pods of the namespace. */
function dependencies(object: KubeObject): DependentReference[] {
  const referredBy = (items: readonly unknown[], places: keyof typeof sources): DependentReference[] =>
    items.flatMap(item =>
      sources[places].flatMap(([kind, nameField, ...path]) => {
        const source = fieldIfAny(item, ...path);
        return source === undefined ? [] : [referenceTo(object, kind, fieldAt(source, nameField))];
      }),
    );
  const containers = listAt(object, 'spec', 'containers');
  const volumes = listAt(object, 'spec', 'volumes');
  return [
    ...referredBy(
      containers.flatMap(container => listAt(container, 'env')),
      'env',
    ),
    ...referredBy(
      containers.flatMap(container => listAt(container, 'envFrom')),
      'envFrom',
    ),
    ...referredBy(volumes, 'volume'),
    ...referredBy(
      volumes.flatMap(volume => listAt(volume, 'projected', 'sources')),
      'projected',
    ),
  ];
}

export const sidecarSet: KindTable = {
  'apps.kruise.io/v1alpha1/SidecarSet': {
    // Pods get their sidecars from Kruise, so a SidecarSet has no replicas of its own.
    replicas: () => ({ replicas: 0, requirements: undefined }),
    retain: desired => desired,
    aggregateStatus,
    dependencies,
    reflectStatus,
    health: healthyIf(isHealthy),
  },
};
