/** What the mirrors of members hold: a member may have many and large objects, of which the controllers need little. */
import type { HeldPart, PartOf, Received } from '../../aggregation/interface.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import {
  customResourceDefinitions,
  deployments,
  nodes,
  pods,
  replicaSets,
  resourceQuotas,
} from '../../api/kubernetes/resources.js';
import { isMap } from '../../lib/json/is-map.js';

/** Memory in bytes of a JSON value, and of the name of a property, besides the characters of a text. */
const valueBytes = 32;

/** Returns the approximate memory of a JSON value in bytes. The names of properties count, since the member chooses those of resources. */
function memoryOf(value: unknown): number {
  if (typeof value === 'string') return valueBytes + value.length;
  if (typeof value !== 'object' || value === null) return valueBytes;
  let bytes = valueBytes;
  if (Array.isArray(value)) for (const each of value) bytes += memoryOf(each);
  else for (const [name, each] of Object.entries(value)) bytes += memoryOf(name) + memoryOf(each);
  return bytes;
}

/** Returns the fields of an object. A value of another form, which a malformed object may have, is returned as it is. */
function fieldsOf(value: unknown, names: readonly string[]): unknown {
  if (!isMap(value)) return value;
  const part: Record<string, unknown> = {};
  for (const name of names) if (value[name] !== undefined) part[name] = value[name];
  return part;
}

const eachOf = (list: unknown, partOf: (item: unknown) => unknown): unknown =>
  Array.isArray(list) ? list.map(partOf) : list;

/** Returns an object with the fields of its metadata that mirrors need themselves, and with these other fields. */
function reduced(
  { apiVersion, kind, metadata }: KubeObject,
  rest: Readonly<Record<string, unknown>>,
  more: readonly (keyof KubeObject['metadata'])[] = [],
): Received {
  const { namespace, name, uid, resourceVersion } = metadata;
  const held = { namespace, name, uid, resourceVersion, ...(fieldsOf(metadata, more) as object) };
  const object = { apiVersion, kind, metadata: held, ...rest } as KubeObject;
  return { object, size: memoryOf(object) };
}

function requestsOf(container: unknown): unknown {
  if (!isMap(container)) return container;
  return { resources: fieldsOf(container['resources'], ['requests']) };
}

/** Holds whole objects without managedFields, which no controller of Works reads. as pkg/util/fedinformer StripUnusedFields */
const whole: HeldPart = {
  isRarelyRead: true,
  of(received) {
    const { managedFields, ...metadata } = received.object.metadata;
    // A copy takes less memory than an object from which a property was deleted, which V8 keeps as a hash table.
    if (managedFields !== undefined) received.object.metadata = metadata;
    return received;
  },
};

/** Only that a definition has changed is of interest. */
const definition: HeldPart = { isMetadataOnly: true, of: ({ object }) => reduced(object, {}) };

/** What the totals of a cluster need of a node. as pkg/util/fedinformer NodeTransformFunc */
const node: HeldPart = { of: ({ object }) => reduced(object, { status: nodeStatus(object) }) };

function nodeStatus(object: KubeObject): unknown {
  const status = fieldsOf(object['status'], ['allocatable', 'conditions']);
  if (isMap(status) && status['conditions'] !== undefined)
    status['conditions'] = eachOf(status['conditions'], condition => fieldsOf(condition, ['type', 'status']));
  return status;
}

/** What an estimator needs of a node in addition: which pods may run on it. */
const estimatedNode: HeldPart = {
  of({ object }) {
    const spec = fieldsOf(object['spec'], ['unschedulable', 'taints']);
    return reduced(object, { spec, status: nodeStatus(object) }, ['labels']);
  },
};

/** What the totals of a cluster need of a pod. as pkg/util/fedinformer PodTransformFunc */
const pod: HeldPart = {
  of: ({ object }) => reduced(object, { spec: podSpec(object), status: fieldsOf(object['status'], ['phase']) }),
};

function podSpec(object: KubeObject): unknown {
  const spec = fieldsOf(object['spec'], ['nodeName', 'containers', 'initContainers', 'overhead']);
  if (isMap(spec))
    for (const list of ['containers', 'initContainers'])
      if (spec[list] !== undefined) spec[list] = eachOf(spec[list], requestsOf);
  return spec;
}

/** What an estimator needs of a pod: if it has no node, to which workload it belongs, and since when it waits. */
const estimatedPod: HeldPart = {
  of(received) {
    const { object } = received;
    if (isMap(object['spec']) && object['spec']['nodeName']) return pod.of?.(received) ?? received;
    const status = fieldsOf(object['status'], ['phase', 'conditions']);
    return reduced(object, { status }, ['labels', 'ownerReferences']);
  },
};

/** What an estimator needs of a pod, and what the totals of a cluster need of one that waits for a node. */
const countedAndEstimatedPod: HeldPart = {
  of(received) {
    const { object } = received;
    if (isMap(object['spec']) && object['spec']['nodeName']) return pod.of?.(received) ?? received;
    const status = fieldsOf(object['status'], ['phase', 'conditions']);
    return reduced(object, { spec: podSpec(object), status }, ['labels', 'ownerReferences']);
  },
};

/** What an estimator needs of Deployments and ReplicaSets, to find the present one of a Deployment. */
const workload: HeldPart = {
  isRarelyRead: true,
  of: ({ object }) =>
    reduced(object, { spec: fieldsOf(object['spec'], ['selector', 'template']) }, [
      'labels',
      'ownerReferences',
      'creationTimestamp',
    ]),
};

const quota: HeldPart = {
  of: ({ object }) =>
    reduced(object, {
      spec: fieldsOf(object['spec'], ['scopes', 'scopeSelector']),
      status: fieldsOf(object['status'], ['hard', 'used']),
    }),
};

const same = (a: GroupVersionResource, b: GroupVersionResource): boolean =>
  a.resource === b.resource && a.group === b.group && a.version === b.version;

type Parts = readonly (readonly [resource: GroupVersionResource, part: HeldPart])[];

/** The parts of the objects that the controllers of clusters mirror. The mirrors of Works have a selector. */
const parts: Parts = [
  [customResourceDefinitions, definition],
  [nodes, node],
  [pods, pod],
];

const among =
  (listed: Parts): PartOf =>
  (resource, { labelSelector }) =>
    (labelSelector === undefined ? listed.find(([of]) => same(of, resource))?.[1] : undefined) ?? whole;

/** Returns which part the mirrors of a resource hold. */
export const heldPartOf: PartOf = among(parts);

/** As `heldPartOf`, for controllers that share their mirrors with an estimator in this process. */
export const heldWithEstimates: PartOf = among([
  [customResourceDefinitions, definition],
  [nodes, estimatedNode],
  [pods, countedAndEstimatedPod],
  [resourceQuotas, quota],
  [deployments, workload],
  [replicaSets, workload],
]);

/** Returns which part the mirrors of an estimator hold, which has no controllers beside it. */
export const heldByEstimator: PartOf = among([
  [nodes, estimatedNode],
  [pods, estimatedPod],
  [resourceQuotas, quota],
  [deployments, workload],
  [replicaSets, workload],
]);
