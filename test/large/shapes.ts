/** Large objects of many shapes: each grows with a count, and `grown` finds the largest that a budget allows. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { customKind, listMap, object, set, text, version, whole } from '../custom-kinds.js';

export interface Shape {
  readonly name: string;
  /** Where objects of the kind are created. */
  readonly collection: string;
  readonly native: boolean;
  /** The object with `count` items. */
  make(count: number): KubeObject;
  /** A field that a small patch changes. */
  readonly small?: object;
}

/** Upper bounds of a body. */
export interface Budget {
  readonly bytes: number;
  readonly values: number;
}

const times = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const mapOf = <T>(count: number, key: (i: number) => string, value: (i: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, i => [key(i), value(i)]));

/** How many values a JSON value consists of, itself included. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const part of Object.values(value)) sum += valuesIn(part);
  return sum;
}

export function grown(shape: Shape, { bytes, values }: Budget): KubeObject {
  const fits = (count: number): boolean => {
    const made = shape.make(count);
    return JSON.stringify(made).length <= bytes && valuesIn(made) <= values;
  };
  let low = 1;
  let high = 2;
  while (high < 4_000_000 && fits(high)) [low, high] = [high, high * 2];
  while (high - low > Math.max(1, low / 50)) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return shape.make(low);
}

const metadata = { name: 'large', namespace: 'default' };
const core = (plural: string): string => `/api/v1/namespaces/default/${plural}`;
const inGroup = (group: string, plural: string): string => `/apis/${group}/namespaces/default/${plural}`;

const labels = { app: 'a' };

/** A Deployment whose pod has this spec. */
function deployment(spec: object): KubeObject {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const made = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { selector: { matchLabels: labels }, template },
  };
  return made;
}

const deployments = { collection: inGroup('apps/v1', 'deployments'), native: true, small: { spec: { replicas: 3 } } };
const configMaps = { collection: core('configmaps'), native: true, small: { data: { other: 'x' } } };
const configMap = (more: object): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });
const configMapMeta = (more: object): KubeObject => configMap({ metadata: { ...metadata, ...more } });

export const nativeShapes: readonly Shape[] = [
  {
    name: 'deployment/containers',
    ...deployments,
    make: n => deployment({ containers: times(n, i => ({ name: `c${i}`, image: 'i' })) }),
  },
  {
    name: 'deployment/env',
    ...deployments,
    make: n =>
      deployment({ containers: [{ name: 'c', image: 'i', env: times(n, i => ({ name: `E${i}`, value: 'v' })) }] }),
  },
  {
    name: 'deployment/volumes',
    ...deployments,
    make: n => deployment({ volumes: times(n, i => ({ name: `v${i}`, emptyDir: {} })) }),
  },
  {
    name: 'deployment/mounts',
    ...deployments,
    make: n =>
      deployment({
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ name: 'c', image: 'i', volumeMounts: times(n, i => ({ name: 'v', mountPath: `/m${i}` })) }],
      }),
  },
  {
    name: 'deployment/ports',
    ...deployments,
    make: n =>
      deployment({
        containers: [{ name: 'c', image: 'i', ports: times(n, i => ({ containerPort: 1 + (i % 65535) })) }],
      }),
  },
  {
    name: 'deployment/tolerations',
    ...deployments,
    make: n => deployment({ tolerations: times(n, i => ({ key: `k${i}`, operator: 'Exists' })) }),
  },
  {
    name: 'deployment/node selector terms',
    ...deployments,
    make: n =>
      deployment({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: times(n, i => ({
                matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a', 'b'] }],
              })),
            },
          },
        },
      }),
  },
  {
    name: 'deployment/host aliases',
    ...deployments,
    make: n => deployment({ hostAliases: times(n, i => ({ ip: '1.2.3.4', hostnames: [`h${i}`] })) }),
  },
  { name: 'deployment/empty containers', ...deployments, make: n => deployment({ containers: times(n, () => ({})) }) },
  {
    name: 'deployment/same containers',
    ...deployments,
    make: n => deployment({ containers: times(n, () => ({ name: 'c', image: 'i' })) }),
  },
  {
    name: 'config map/keys',
    ...configMaps,
    make: n =>
      configMap({
        data: mapOf(
          n,
          i => `k${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'config map/binary',
    ...configMaps,
    make: n =>
      configMap({
        binaryData: mapOf(
          n,
          i => `k${i}`,
          () => 'YQ==',
        ),
      }),
  },
  { name: 'config map/one text', ...configMaps, make: n => configMap({ data: { k: 'x'.repeat(n) } }) },
  { name: 'config map/one text of quotes', ...configMaps, make: n => configMap({ data: { k: '"\\\n<'.repeat(n) } }) },
  {
    name: 'config map/bad keys',
    ...configMaps,
    make: n =>
      configMap({
        data: mapOf(
          n,
          i => `${i}!`,
          () => '',
        ),
      }),
  },
  {
    name: 'config map/bad binary',
    ...configMaps,
    make: n =>
      configMap({
        binaryData: mapOf(
          n,
          i => `${i}!`,
          () => '',
        ),
      }),
  },
  {
    name: 'metadata/labels',
    ...configMaps,
    make: n =>
      configMapMeta({
        labels: mapOf(
          n,
          i => `l${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/bad labels',
    ...configMaps,
    make: n =>
      configMapMeta({
        labels: mapOf(
          n,
          i => `${i}!`,
          () => '-',
        ),
      }),
  },
  {
    name: 'metadata/one bad label',
    ...configMaps,
    make: n => configMapMeta({ labels: { ['!'.repeat(n)]: '!'.repeat(n) } }),
  },
  { name: 'metadata/bad name', ...configMaps, make: n => configMapMeta({ name: 'A.'.repeat(n) }) },
  {
    name: 'metadata/generate name',
    ...configMaps,
    make: n => configMapMeta({ name: '', generateName: 'A.'.repeat(n) }),
  },
  {
    name: 'metadata/annotations',
    ...configMaps,
    make: n =>
      configMapMeta({
        annotations: mapOf(
          n,
          i => `a${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/bad annotations',
    ...configMaps,
    make: n =>
      configMapMeta({
        annotations: mapOf(
          n,
          i => `${i}!`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'metadata/owners',
    ...configMaps,
    make: n =>
      configMapMeta({ ownerReferences: times(n, i => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: `u${i}` })) }),
  },
  {
    name: 'metadata/controllers',
    ...configMaps,
    make: n =>
      configMapMeta({
        ownerReferences: times(n, i => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: `u${i}`, controller: true })),
      }),
  },
  {
    name: 'metadata/same owners',
    ...configMaps,
    make: n =>
      configMapMeta({ ownerReferences: times(n, () => ({ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' })) }),
  },
  { name: 'metadata/finalizers', ...configMaps, make: n => configMapMeta({ finalizers: times(n, i => `e.io/f${i}`) }) },
  { name: 'metadata/bad finalizers', ...configMaps, make: n => configMapMeta({ finalizers: times(n, i => `f${i}!`) }) },
  {
    name: 'metadata/managed fields',
    ...configMaps,
    make: n =>
      configMapMeta({
        managedFields: times(n, i => ({
          ...{
            manager: `m${i}`,
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            time: '2026-01-01T00:00:00Z',
          },
          fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
        })),
      }),
  },
  {
    name: 'metadata/one manager',
    ...configMaps,
    make: n =>
      configMapMeta({
        managedFields: [
          {
            ...{
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              time: '2026-01-01T00:00:00Z',
            },
            fieldsV1: {
              'f:data': mapOf(
                n,
                i => `f:k${i}`,
                () => ({}),
              ),
            },
          },
        ],
      }),
  },
  {
    name: 'service/ports',
    collection: core('services'),
    native: true,
    small: { spec: { sessionAffinity: 'ClientIP' } },
    make: n => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { selector: labels, ports: times(n, i => ({ name: `p${i}`, port: 1 + (i % 65535) })) },
    }),
  },
  {
    name: 'endpoints/addresses',
    collection: core('endpoints'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'v1', kind: 'Endpoints', metadata },
      subsets: [
        {
          addresses: times(n, i => ({ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` })),
          ports: [{ port: 80 }],
        },
      ],
    }),
  },
  {
    name: 'role/rules',
    collection: inGroup('rbac.authorization.k8s.io/v1', 'roles'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata },
      rules: times(n, i => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] })),
    }),
  },
  {
    name: 'role/one rule',
    collection: inGroup('rbac.authorization.k8s.io/v1', 'roles'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata },
      rules: [
        { apiGroups: [''], resources: times(n, i => `r${i}`), verbs: ['get'], resourceNames: times(n, i => `r${i}`) },
      ],
    }),
  },
  {
    name: 'network policy/peers',
    collection: inGroup('networking.k8s.io/v1', 'networkpolicies'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata },
      spec: {
        podSelector: { matchExpressions: times(n, i => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
        ingress: [{ from: times(n, () => ({ ipBlock: { cidr: '10.0.0.0/8' } })) }],
      },
    }),
  },
  {
    name: 'ingress/rules',
    collection: inGroup('networking.k8s.io/v1', 'ingresses'),
    native: true,
    make: n => ({
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata },
      spec: {
        rules: times(n, i => ({
          host: `h${i}.example.com`,
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        })),
      },
    }),
  },
];

const policy = (kind: string, spec: object): KubeObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata,
  spec,
});
const selectors = [{ apiVersion: 'apps/v1', kind: 'Deployment' }];
const policies = {
  collection: inGroup('policy.karmada.io/v1alpha1', 'propagationpolicies'),
  native: false,
  small: { spec: { priority: 3 } },
};

export const karmadaShapes: readonly Shape[] = [
  {
    name: 'propagation policy/selectors',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: times(n, i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `n${i}` })),
      }),
  },
  {
    name: 'propagation policy/expressions',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            labelSelector: { matchExpressions: times(n, i => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
          },
        ],
      }),
  },
  {
    name: 'propagation policy/cluster names',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: selectors,
        placement: { clusterAffinity: { clusterNames: times(n, i => `m${i}`) } },
      }),
  },
  {
    name: 'propagation policy/weights',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: selectors,
        placement: {
          replicaScheduling: {
            replicaSchedulingType: 'Divided',
            replicaDivisionPreference: 'Weighted',
            weightPreference: {
              staticWeightList: times(n, i => ({ targetCluster: { clusterNames: [`m${i}`] }, weight: 1 })),
            },
          },
        },
      }),
  },
  {
    name: 'override policy/rules',
    collection: inGroup('policy.karmada.io/v1alpha1', 'overridepolicies'),
    native: false,
    small: { spec: { resourceSelectors: selectors } },
    make: n =>
      policy('OverridePolicy', {
        resourceSelectors: selectors,
        overrideRules: times(n, i => ({
          overriders: { plaintext: [{ path: `/metadata/annotations/a${i}`, operator: 'add', value: 'v' }] },
        })),
      }),
  },
  {
    name: 'work/manifests',
    collection: inGroup('work.karmada.io/v1alpha1', 'works'),
    native: false,
    small: { spec: { suspendDispatching: true } },
    make: n => ({
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata },
      spec: {
        workload: {
          manifests: times(n, i => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `n${i}` },
            data: { k: 'v' },
          })),
        },
      },
    }),
  },
  {
    name: 'binding/clusters',
    collection: inGroup('work.karmada.io/v1alpha2', 'resourcebindings'),
    native: false,
    small: { spec: { replicas: 7 } },
    make: n => ({
      ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'd' },
        clusters: times(n, i => ({ name: `m${i}`, replicas: 1 })),
      },
    }),
  },
];

const item = object({ x: text, y: { ...text, default: 'd' }, n: whole });
const branches = [object({ x: { type: 'string' } }), object({ z: whole })];

/** The definition that the shapes of custom resources are of. */
export const largeKind = customKind('Large', [
  version(
    'v1',
    object({
      spec: object({
        map: { type: 'object', additionalProperties: text },
        structs: { type: 'object', additionalProperties: item },
        list: { type: 'array', items: item },
        items: listMap(['name'], { name: text, value: text, y: { ...text, default: 'd' } }),
        pair: listMap(['port', 'protocol'], { port: whole, protocol: { ...text, default: 'TCP' } }),
        tags: set(text),
        wholes: set(whole),
        unique: { type: 'array', uniqueItems: false, items: text },
        pattern: { type: 'array', items: { type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' } },
        enumerated: { type: 'array', items: { type: 'string', enum: Array.from({ length: 100 }, (_, i) => `e${i}`) } },
        any: { type: 'array', items: { ...item, anyOf: branches.map(branch => ({ properties: branch.properties })) } },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        tree: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { leaf: text } },
        objects: {
          type: 'array',
          items: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
        small: text,
      }),
    }),
  ),
]);

const larges = { collection: inGroup('example.com/v1', 'larges'), native: false, small: { spec: { small: 'x' } } };
const large = (spec: object): KubeObject => ({ apiVersion: 'example.com/v1', kind: 'Large', metadata, spec });

export const customShapes: readonly Shape[] = [
  {
    name: 'custom/map',
    ...larges,
    make: n =>
      large({
        map: mapOf(
          n,
          i => `k${i}`,
          () => 'v',
        ),
      }),
  },
  {
    name: 'custom/map of numbers',
    ...larges,
    make: n =>
      large({
        map: mapOf(
          n,
          i => `k${i}`,
          i => i,
        ),
      }),
  },
  {
    name: 'custom/structs',
    ...larges,
    make: n =>
      large({
        structs: mapOf(
          n,
          i => `k${i}`,
          i => ({ n: i }),
        ),
      }),
  },
  { name: 'custom/list', ...larges, make: n => large({ list: times(n, i => ({ x: `x${i}` })) }) },
  { name: 'custom/list of empty', ...larges, make: n => large({ list: times(n, () => ({})) }) },
  { name: 'custom/list map', ...larges, make: n => large({ items: times(n, i => ({ name: `x${i}` })) }) },
  { name: 'custom/list map, same', ...larges, make: n => large({ items: times(n, () => ({ name: 'x' })) }) },
  { name: 'custom/list map, two keys', ...larges, make: n => large({ pair: times(n, i => ({ port: i })) }) },
  { name: 'custom/set', ...larges, make: n => large({ tags: times(n, i => `t${i}`) }) },
  { name: 'custom/set, same', ...larges, make: n => large({ tags: times(n, () => 't') }) },
  { name: 'custom/set of numbers', ...larges, make: n => large({ wholes: times(n, i => i) }) },
  { name: 'custom/atomic list', ...larges, make: n => large({ unique: times(n, i => `t${i}`) }) },
  { name: 'custom/bad atomic list', ...larges, make: n => large({ unique: times(n, i => i) }) },
  { name: 'custom/pattern', ...larges, make: n => large({ pattern: times(n, i => `t${i}`) }) },
  { name: 'custom/bad pattern', ...larges, make: n => large({ pattern: times(n, i => `-${i}`) }) },
  { name: 'custom/long pattern', ...larges, make: n => large({ pattern: ['a'.repeat(n)] }) },
  { name: 'custom/long bad pattern', ...larges, make: n => large({ pattern: [`${'a'.repeat(n)}-`] }) },
  { name: 'custom/enum', ...larges, make: n => large({ enumerated: times(n, i => `e${i % 100}`) }) },
  { name: 'custom/bad enum', ...larges, make: n => large({ enumerated: times(n, i => `x${i}`) }) },
  { name: 'custom/any of', ...larges, make: n => large({ any: times(n, i => ({ x: `x${i}` })) }) },
  {
    name: 'custom/free',
    ...larges,
    make: n =>
      large({
        free: mapOf(
          n,
          i => `k${i}`,
          () => ({}),
        ),
      }),
  },
  { name: 'custom/free list', ...larges, make: n => large({ free: { list: times(n, () => []) } }) },
  { name: 'custom/free numbers', ...larges, make: n => large({ free: { list: times(n, i => i) } }) },
  { name: 'custom/free floats', ...larges, make: n => large({ free: { list: times(n, i => i + 0.5) } }) },
  { name: 'custom/free deep', ...larges, make: n => large({ free: { list: times(n, () => [[[[[[[[]]]]]]]]) } }) },
  {
    name: 'custom/unknown fields',
    ...larges,
    make: n =>
      large(
        mapOf(
          n,
          i => `u${i}`,
          () => 'v',
        ),
      ),
  },
  { name: 'custom/unknown in list', ...larges, make: n => large({ list: times(n, i => ({ u: i })) }) },
  {
    name: 'custom/embedded',
    ...larges,
    make: n => large({ objects: times(n, i => ({ apiVersion: 'v1', kind: 'K', metadata: { name: `n${i}` } })) }),
  },
  { name: 'custom/bad embedded', ...larges, make: n => large({ objects: times(n, () => ({})) }) },
];
