/** Changes full objects of kinds whose fields exclude each other or refer to objects that do not exist. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { NativeResource } from '../../../openapi/facts/resources.js';
import { fullObject } from './full-object.js';

type Plain = Record<string, unknown>;
type Change = (spec: Plain, object: Plain) => void;

const without =
  (...fields: readonly string[]): Change =>
  spec => {
    for (const field of fields) delete spec[field];
  };
const withFields =
  (fields: Plain): Change =>
  spec =>
    Object.assign(spec, fields);
const all =
  (...changes: readonly Change[]): Change =>
  (spec, object) => {
    for (const change of changes) change(spec, object);
  };
const called =
  (name: string): Change =>
  (_, object) =>
    Object.assign(object['metadata'] as Plain, { name });

const hooked: Change = (_, object) => {
  for (const hook of object['webhooks'] as Plain[]) delete (hook['clientConfig'] as Plain)['url'];
};

/** Keeps the first of the handlers, which exclude each other. */
const one = (probe: Plain): void => without('httpGet', 'tcpSocket', 'grpc', 'sleep')(probe, {});

/** Removes fields of containers that exclude each other: a probe has one handler, an environment variable one source. */
const container: Change = from => {
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) one(from[probe] as Plain);
  for (const hook of ['postStart', 'preStop']) one((from['lifecycle'] as Plain)[hook] as Plain);
  Object.assign(from['livenessProbe'] as Plain, { successThreshold: 1 });
  Object.assign(from['startupProbe'] as Plain, { successThreshold: 1 });
  delete (from['readinessProbe'] as Plain)['terminationGracePeriodSeconds'];
  delete (from['lifecycle'] as Plain)['stopSignal'];
  from['env'] = [
    { name: 'A', value: 'b' },
    { name: 'C', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
  ];
  from['envFrom'] = [{ prefix: 'X', configMapRef: { name: 'a', optional: true } }];
  from['resources'] = { limits: { cpu: '1' }, requests: { cpu: '1' } };
  without(
    'restartPolicy',
    'restartPolicyRules',
    'resizePolicy',
    'volumeDevices',
    'volumeMounts',
    'securityContext',
  )(from, {});
};

const podSpec: Change = spec => {
  const [first] = spec['containers'] as Plain[];
  container(first ?? {}, {});
  spec['volumes'] = [
    {
      name: 'volumes',
      configMap: { name: 'a', items: [{ key: 'k', path: 'p', mode: 5 }], defaultMode: 5, optional: true },
    },
  ];
  without(
    'priorityClassName',
    'priority',
    'preemptionPolicy',
    'runtimeClassName',
    'overhead',
    'resources',
    'resourceClaims',
  )(spec, {});
  without(
    'initContainers',
    'ephemeralContainers',
    'shareProcessNamespace',
    'securityContext',
    'schedulingGroup',
  )(spec, {});
  without('serviceAccount', 'serviceAccountName', 'activeDeadlineSeconds', 'hostnameOverride', 'os')(spec, {});
};
const templated =
  (restartPolicy: string): Change =>
  spec => {
    const inner = (spec['template'] as Plain)['spec'] as Plain;
    podSpec(inner, {});
    inner['restartPolicy'] = restartPolicy;
  };
/** A Job generates its selector. */
const job: Change = all(
  templated('Never'),
  without(
    'selector',
    'manualSelector',
    'podFailurePolicy',
    'successPolicy',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ),
);
const storage = { requests: { storage: '3' }, limits: { storage: '3' } };
const volumes = (spec: Plain): string[] =>
  Object.keys(spec).filter(field => field !== 'csi' && typeof spec[field] === 'object' && !kept.has(field));
const kept = new Set(['accessModes', 'claimRef', 'capacity', 'mountOptions', 'nodeAffinity']);

const changes: Readonly<Record<string, Change>> = {
  cronjobs: spec => job((spec['jobTemplate'] as Plain)['spec'] as Plain, {}),
  daemonsets: templated('Always'),
  deployments: all(templated('Always'), withFields({ progressDeadlineSeconds: 60 })),
  jobs: job,
  replicasets: templated('Always'),
  replicationcontrollers: templated('Always'),
  // The field is read, but not written.
  endpointslices: (_, object) => {
    for (const endpoint of object['endpoints'] as Plain[]) delete endpoint['deprecatedTopology'];
  },
  'events.events.k8s.io': (_, object) => {
    for (const field of Object.keys(object)) if (field.startsWith('deprecated')) delete object[field];
    object['type'] = 'Normal';
  },
  ipaddresses: called('10.1.2.3'),
  mutatingadmissionpolicies: withFields({
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' } }],
  }),
  mutatingwebhookconfigurations: hooked,
  persistentvolumeclaims: withFields({ resources: storage }),
  persistentvolumes: all(withFields({ capacity: { storage: '3' } }), spec => without(...volumes(spec))(spec, {})),
  poddisruptionbudgets: without('maxUnavailable'),
  pods: podSpec,
  podtemplates: (_, object) => templated('Always')(object, {}),
  prioritylevelconfigurations: all(withFields({ type: 'Limited' }), without('exempt'), ({ limited }) =>
    Object.assign((limited as Plain)['limitResponse'] as Plain, { type: 'Queue' }),
  ),
  resourceclaimtemplates: ({ spec }) => {
    for (const request of ((spec as Plain)['devices'] as { requests: { exactly: Plain }[] }).requests)
      delete request.exactly['adminAccess'];
  },
  resourceslices: without('nodeSelector', 'allNodes', 'perDeviceNodeSelection'),
  services: all(
    without('clusterIP', 'clusterIPs', 'loadBalancerSourceRanges', 'ipFamilies'),
    withFields({ type: 'NodePort' }),
  ),
  statefulsets: templated('Always'),
  validatingwebhookconfigurations: hooked,
  volumeattachments: spec => delete (spec['source'] as Plain)['inlineVolumeSpec'],
};

/**
 * Kinds whose full objects are too far from valid ones, or whose status the server writes at once. codec.test.ts covers all of their
 * fields.
 */
export const tooFar = new Set(['apiservices', 'customresourcedefinitions', 'certificatesigningrequests']);

/**
 * Returns an object with as many fields as possible, from which `fit` removes the invalid ones. It has no status, and the metadata that a client may
 * set.
 */
export function nearlyFull(resource: NativeResource): KubeObject & Plain {
  const { status: _, ...full } = fullObject(resource) as KubeObject & Plain;
  const object: KubeObject & Plain = {
    ...full,
    metadata: {
      name: `full-${resource.group.split('.')[0] ?? ''}${resource.version}`,
      ...(resource.namespaced && { namespace: 'default' }),
      labels: { a: 'x' },
      annotations: { 'example.com/a': 'b' },
      finalizers: ['example.com/f'],
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '5d1c2a34-0c5b-4b3c-9f6e-2b1f3c4d5e6f' },
      ],
    },
  };
  const change = changes[`${resource.plural}.${resource.group}`] ?? changes[resource.plural];
  change?.((object['spec'] ?? {}) as Plain, object);
  return object;
}
