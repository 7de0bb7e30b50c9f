/** One small object of every stored native kind, and a change of its spec. */
import { version } from '../custom-kinds.js';

export interface KindSample {
  /** The resource and group, such as `deployments.apps` or `pods`. */
  readonly id: string;
  /** The path of the collection. */
  readonly path: string;
  readonly name: string;
  readonly namespaced: boolean;
  /** The object with apiVersion, kind and name. */
  readonly body: Readonly<Record<string, unknown>> & {
    readonly kind: string;
    readonly metadata: { readonly name: string };
  };
  /** A merge patch of fields other than metadata and status; undefined if none can be changed. */
  readonly change: object | undefined;
  /** A merge patch of the status; undefined if a client cannot write it. */
  readonly status: object | undefined;
}

interface Facts {
  readonly kind: string;
  readonly cluster?: true;
  readonly name?: string;
  readonly change?: object;
  readonly status?: object;
  readonly [field: string]: unknown;
}

const containers = [{ name: 'c', image: 'nginx:1.27' }];
const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };
const service = { name: 's', namespace: 'n' };
const resourceRules = [
  { operations: ['CREATE'], apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['x'] },
];
const webhooks = [
  {
    ...{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { service } },
    rules: resourceRules,
  },
];
const mutations = [
  {
    patchType: 'ApplyConfiguration',
    applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
  },
];
const claim = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } };
const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const rbac = 'rbac.authorization.k8s.io';
const request = `-----BEGIN CERTIFICATE REQUEST-----
MIHKMHECAQAwDzENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABPFHfOPRC2uZMTDV2rIW1R9YqwHKZRsDD+A6rCLK7zrV0iWgHlKiwJhgnH+e
aLP+AhnefD9WRYUMdcqQFGA9TvugADAKBggqhkjOPQQDAgNJADBGAiEA/mh4yoX8
EST63q2rUbnDx3NRxJl8DKfJCEmRPfUkUKkCIQD21ksNF8UA9S3oxRlhd6LFJupG
uzk8r3dNc32kvqa4dA==
-----END CERTIFICATE REQUEST-----
`;

const conditions = [
  { type: 'X', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
];

/** Facts of resources, by `group/version` or `version`, then by resource. */
const facts: Readonly<Record<string, Readonly<Record<string, Facts>>>> = {
  v1: {
    configmaps: { kind: 'ConfigMap', change: { data: { b: 'c' } } },
    secrets: { kind: 'Secret', change: { data: { b: 'Yw==' } } },
    pods: {
      kind: 'Pod',
      spec: { containers },
      change: { spec: { activeDeadlineSeconds: 5 } },
      status: { phase: 'Running' },
    },
    replicationcontrollers: {
      kind: 'ReplicationController',
      spec: { template },
      change: { spec: { replicas: 2 } },
      status: { replicas: 3 },
    },
    podtemplates: { kind: 'PodTemplate', template, change: { template: { spec: { hostname: 'h' } } } },
    services: {
      kind: 'Service',
      spec: { ports: [{ port: 80 }] },
      change: { spec: { sessionAffinity: 'ClientIP' } },
      status: { conditions },
    },
    endpoints: {
      kind: 'Endpoints',
      subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }],
      change: { subsets: null },
    },
    serviceaccounts: { kind: 'ServiceAccount', change: { automountServiceAccountToken: false } },
    limitranges: {
      kind: 'LimitRange',
      spec: { limits: [{ type: 'Pod', max: { cpu: '99' } }] },
      change: { spec: { limits: [{ type: 'Pod', max: { cpu: '98' } }] } },
    },
    resourcequotas: {
      kind: 'ResourceQuota',
      spec: { hard: { pods: '50' } },
      change: { spec: { hard: { pods: '60' } } },
      status: { hard: { pods: '50' }, used: { pods: '1' } },
    },
    persistentvolumeclaims: {
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Lost' },
    },
    events: {
      kind: 'Event',
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      reason: 'R',
      change: { message: 'm' },
    },
    nodes: { kind: 'Node', cluster: true, change: { spec: { unschedulable: true } }, status: { phase: 'Running' } },
    persistentvolumes: {
      kind: 'PersistentVolume',
      cluster: true,
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      change: { spec: { persistentVolumeReclaimPolicy: 'Delete' } },
      status: { phase: 'Available' },
    },
    namespaces: { kind: 'Namespace', cluster: true, status: { conditions } },
  },
  'apps/v1': {
    deployments: {
      kind: 'Deployment',
      spec: { selector, template },
      change: { spec: { replicas: 2 } },
      status: { replicas: 3 },
    },
    replicasets: {
      kind: 'ReplicaSet',
      spec: { selector, template },
      change: { spec: { replicas: 2 } },
      status: { replicas: 3 },
    },
    statefulsets: {
      kind: 'StatefulSet',
      spec: { selector, template, serviceName: 's' },
      change: { spec: { replicas: 2 } },
      status: { replicas: 3 },
    },
    daemonsets: {
      kind: 'DaemonSet',
      spec: { selector, template },
      change: { spec: { minReadySeconds: 5 } },
      status: { numberReady: 3 },
    },
    controllerrevisions: { kind: 'ControllerRevision', data: { a: 1 }, revision: 1, change: { revision: 2 } },
  },
  'batch/v1': {
    jobs: {
      kind: 'Job',
      spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
      change: { spec: { parallelism: 2 } },
      status: { startTime: '2026-01-01T00:00:00Z' },
    },
    cronjobs: {
      kind: 'CronJob',
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } },
      },
      change: { spec: { suspend: true } },
      status: { lastScheduleTime: '2026-01-01T00:00:00Z' },
    },
  },
  'autoscaling/v2': {
    horizontalpodautoscalers: {
      kind: 'HorizontalPodAutoscaler',
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
      change: { spec: { maxReplicas: 4 } },
      status: { desiredReplicas: 3 },
    },
  },
  'policy/v1': {
    poddisruptionbudgets: {
      kind: 'PodDisruptionBudget',
      spec: { minAvailable: 1, selector: { matchLabels: { none: 'none' } } },
      change: { spec: { minAvailable: 2 } },
      status: { currentHealthy: 3 },
    },
  },
  'networking.k8s.io/v1': {
    ingresses: {
      kind: 'Ingress',
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
      change: { spec: { ingressClassName: 'x' } },
      status: { loadBalancer: { ingress: [{ ip: '10.1.2.3' }] } },
    },
    ingressclasses: {
      kind: 'IngressClass',
      cluster: true,
      spec: { controller: 'example.com/x', parameters: { kind: 'P', name: 'n' } },
      change: { spec: { parameters: { name: 'm' } } },
    },
    networkpolicies: {
      kind: 'NetworkPolicy',
      spec: { podSelector: {} },
      change: { spec: { policyTypes: ['Egress'] } },
    },
    servicecidrs: { kind: 'ServiceCIDR', cluster: true, spec: { cidrs: ['10.9.0.0/16'] }, status: { conditions } },
    ipaddresses: {
      kind: 'IPAddress',
      cluster: true,
      name: '10.9.0.1',
      spec: { parentRef: { resource: 'services', name: 'a', namespace: 'default' } },
    },
  },
  [`${rbac}/v1`]: {
    roles: {
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      change: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
    },
    rolebindings: {
      kind: 'RoleBinding',
      roleRef: { kind: 'Role', name: 'a', apiGroup: rbac },
      subjects: [{ kind: 'User', name: 'u', apiGroup: rbac }],
      change: { subjects: [{ kind: 'User', name: 'v', apiGroup: rbac }] },
    },
    clusterroles: {
      kind: 'ClusterRole',
      cluster: true,
      rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
      change: { rules: [{ nonResourceURLs: ['/y'], verbs: ['get'] }] },
    },
    clusterrolebindings: {
      kind: 'ClusterRoleBinding',
      cluster: true,
      roleRef: { kind: 'ClusterRole', name: 'none', apiGroup: rbac },
      subjects: [{ kind: 'User', name: 'u', apiGroup: rbac }],
      change: { subjects: [{ kind: 'User', name: 'v', apiGroup: rbac }] },
    },
  },
  'storage.k8s.io/v1': {
    storageclasses: {
      kind: 'StorageClass',
      cluster: true,
      provisioner: 'example.com/x',
      change: { allowVolumeExpansion: true },
    },
    csidrivers: { kind: 'CSIDriver', cluster: true, spec: {}, change: { spec: { podInfoOnMount: true } } },
    csinodes: {
      kind: 'CSINode',
      cluster: true,
      spec: { drivers: [] },
      change: { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: [] }] } },
    },
    volumeattachments: {
      kind: 'VolumeAttachment',
      cluster: true,
      spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'p' } },
      status: { attached: true },
    },
    csistoragecapacities: {
      kind: 'CSIStorageCapacity',
      storageClassName: 'x',
      capacity: '1Gi',
      change: { capacity: '2Gi' },
    },
    volumeattributesclasses: {
      kind: 'VolumeAttributesClass',
      cluster: true,
      driverName: 'd.example.com',
      parameters: { a: 'b' },
    },
  },
  'coordination.k8s.io/v1': {
    leases: { kind: 'Lease', spec: { holderIdentity: 'h' }, change: { spec: { holderIdentity: 'i' } } },
  },
  'scheduling.k8s.io/v1': {
    priorityclasses: { kind: 'PriorityClass', cluster: true, value: 100, change: { description: 'd' } },
  },
  'node.k8s.io/v1': {
    runtimeclasses: {
      kind: 'RuntimeClass',
      cluster: true,
      handler: 'h',
      change: { scheduling: { nodeSelector: { a: 'b' } } },
    },
  },
  'discovery.k8s.io/v1': {
    endpointslices: {
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'] }],
      change: { endpoints: [{ addresses: ['10.1.2.4'] }] },
    },
  },
  'resource.k8s.io/v1': {
    deviceclasses: {
      kind: 'DeviceClass',
      cluster: true,
      spec: {},
      change: { spec: { selectors: [{ cel: { expression: 'true' } }] } },
    },
    resourceclaims: {
      kind: 'ResourceClaim',
      spec: claim,
      status: {
        allocation: { devices: { results: [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'd' }] } },
      },
    },
    resourceclaimtemplates: { kind: 'ResourceClaimTemplate', spec: { spec: claim } },
    resourceslices: {
      kind: 'ResourceSlice',
      cluster: true,
      spec: { driver: 'd.example.com', pool, nodeName: 'n', devices: [] },
      change: { spec: { pool: { generation: 2 } } },
    },
  },
  'flowcontrol.apiserver.k8s.io/v1': {
    flowschemas: {
      kind: 'FlowSchema',
      cluster: true,
      spec: { priorityLevelConfiguration: { name: 'exempt' } },
      change: { spec: { matchingPrecedence: 5 } },
      status: { conditions: [{ type: 'Dangling', status: 'False' }] },
    },
    prioritylevelconfigurations: {
      kind: 'PriorityLevelConfiguration',
      cluster: true,
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
      change: { spec: { limited: { nominalConcurrencyShares: 2 } } },
      status: { conditions: [{ type: 'X', status: 'False' }] },
    },
  },
  'admissionregistration.k8s.io/v1': {
    validatingwebhookconfigurations: {
      kind: 'ValidatingWebhookConfiguration',
      cluster: true,
      webhooks,
      change: { webhooks: null },
    },
    mutatingwebhookconfigurations: {
      kind: 'MutatingWebhookConfiguration',
      cluster: true,
      webhooks,
      change: { webhooks: null },
    },
    validatingadmissionpolicies: {
      kind: 'ValidatingAdmissionPolicy',
      cluster: true,
      spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] },
      change: { spec: { failurePolicy: 'Ignore' } },
      status: { observedGeneration: 1 },
    },
    validatingadmissionpolicybindings: {
      kind: 'ValidatingAdmissionPolicyBinding',
      cluster: true,
      spec: { policyName: 'none', validationActions: ['Deny'] },
      change: { spec: { validationActions: ['Warn'] } },
    },
    mutatingadmissionpolicies: {
      kind: 'MutatingAdmissionPolicy',
      cluster: true,
      spec: { matchConstraints: { resourceRules }, mutations, reinvocationPolicy: 'Never' },
      change: { spec: { failurePolicy: 'Ignore' } },
    },
    mutatingadmissionpolicybindings: {
      kind: 'MutatingAdmissionPolicyBinding',
      cluster: true,
      spec: { policyName: 'none' },
      change: { spec: { matchResources: { namespaceSelector: { matchLabels: labels } } } },
    },
  },
  'apiregistration.k8s.io/v1': {
    apiservices: {
      kind: 'APIService',
      cluster: true,
      name: 'v1.x.example.com',
      spec: {
        ...{ group: 'x.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service },
        insecureSkipTLSVerify: true,
      },
      change: { spec: { versionPriority: 11 } },
      status: { conditions: [{ type: 'X', status: 'True' }] },
    },
  },
  'apiextensions.k8s.io/v1': {
    customresourcedefinitions: {
      kind: 'CustomResourceDefinition',
      cluster: true,
      name: 'ws.y.example.com',
      spec: {
        group: 'y.example.com',
        scope: 'Namespaced',
        names: { plural: 'ws', kind: 'W' },
        versions: [version('v1', { type: 'object' })],
      },
      change: { spec: { names: { shortNames: ['w'] } } },
      status: { storedVersions: ['v1', 'v0'] },
    },
  },
  'certificates.k8s.io/v1': {
    certificatesigningrequests: {
      kind: 'CertificateSigningRequest',
      cluster: true,
      spec: { request: Buffer.from(request).toString('base64'), signerName: 'example.com/x', usages: ['client auth'] },
      status: { conditions: [{ type: 'X', status: 'True' }] },
    },
  },
};

function sampleOf(groupVersion: string, resource: string, row: Facts): KindSample {
  const { cluster, name = 'a', change, status, ...rest } = row;
  const [group = ''] = groupVersion.includes('/') ? groupVersion.split('/') : [];
  const root = group === '' ? `/api/${groupVersion}` : `/apis/${groupVersion}`;
  return {
    id: group === '' ? resource : `${resource}.${group}`,
    path: `${root}/${cluster ? '' : 'namespaces/default/'}${resource}`,
    name,
    namespaced: !cluster,
    body: { apiVersion: groupVersion, metadata: { name }, ...rest },
    change,
    status,
  };
}

export const everyKind: readonly KindSample[] = Object.entries(facts).flatMap(([groupVersion, resources]) =>
  Object.entries(resources).map(([resource, row]) => sampleOf(groupVersion, resource, row)),
);
