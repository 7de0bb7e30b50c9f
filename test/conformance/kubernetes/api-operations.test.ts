/** Kinds that are only stored, one row each, for the tests "... API operations" and "lifecycle of ..." of upstream's test/e2e. */
import t from 'tap';
import { kit } from './kit.js';
import { type Life, livesThrough } from './lifecycle.js';
import { runningControlPlane } from './running-control-plane.js';

const condition = (type: string) => ({
  ...{ type, status: 'False', reason: 'E2E', message: 'Set from a test' },
  lastTransitionTime: '2026-01-02T03:04:05Z',
});
const conditions = { status: { conditions: [condition('PatchStatusFailed')] } };

const deploymentRule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'], operations: ['CREATE'] };
const claim = { devices: { requests: [{ name: 'req-0', exactly: { deviceClassName: 'dra.example.com' } }] } };
const ingressRule = {
  host: 'foo.bar.com',
  http: {
    paths: [
      { path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 'test', port: { number: 80 } } } },
    ],
  },
};
const podTemplate = { spec: { containers: [{ name: 'main', image: 'nginx' }], restartPolicy: 'OnFailure' } };
const parentRef = { group: 'mygroup', resource: 'myresources', namespace: 'foo', name: 'bar' };
const times = { acquireTime: '2026-01-02T03:04:05.000002Z', renewTime: '2026-01-02T03:04:05.500000Z' };

const lives: Readonly<Record<string, Life>> = {
  FlowSchema: {
    of: 'flowcontrol.apiserver.k8s.io/v1/flowschemas',
    kind: 'FlowSchema',
    draft: {
      spec: {
        matchingPrecedence: 10000,
        priorityLevelConfiguration: { name: 'global-default' },
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'nobody' } }],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
    change: { spec: { matchingPrecedence: 9999 } },
    parts: { status: conditions },
  },
  PriorityLevelConfiguration: {
    of: 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    draft: { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 2, limitResponse: { type: 'Reject' } } } },
    change: { spec: { limited: { nominalConcurrencyShares: 4 } } },
    parts: { status: conditions },
  },
  MutatingAdmissionPolicy: {
    of: 'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
    kind: 'MutatingAdmissionPolicy',
    draft: {
      spec: {
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 100}}' },
          },
        ],
        matchConstraints: { resourceRules: [deploymentRule] },
      },
    },
    change: { spec: { reinvocationPolicy: 'IfNeeded' } },
  },
  MutatingAdmissionPolicyBinding: {
    of: 'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    kind: 'MutatingAdmissionPolicyBinding',
    draft: { spec: { policyName: 'replicalimit-policy.example.com' } },
    change: { spec: { policyName: 'new-policy.example.com' } },
  },
  ValidatingAdmissionPolicy: {
    of: 'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    draft: {
      spec: {
        validations: [{ expression: 'object.spec.replicas <= 100' }],
        matchConstraints: { resourceRules: [deploymentRule] },
      },
    },
    change: { spec: { failurePolicy: 'Ignore' } },
    parts: { status: conditions },
  },
  ValidatingAdmissionPolicyBinding: {
    of: 'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    draft: { spec: { policyName: 'replicalimit-policy.example.com', validationActions: ['Deny'] } },
    change: { spec: { validationActions: ['Warn'] } },
  },
  CronJob: {
    of: 'batch/v1/cronjobs',
    kind: 'CronJob',
    namespaced: true,
    draft: {
      spec: {
        schedule: '* */1 * * ?',
        concurrencyPolicy: 'Allow',
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 0,
        jobTemplate: { spec: { parallelism: 1, completions: 1, template: podTemplate } },
      },
    },
    change: { spec: { suspend: true } },
    annotatesParts: true,
    parts: { status: { status: { lastScheduleTime: '2026-01-02T03:04:05Z' } } },
  },
  Lease: {
    of: 'coordination.k8s.io/v1/leases',
    kind: 'Lease',
    namespaced: true,
    draft: { spec: { holderIdentity: 'holder', leaseDurationSeconds: 30, leaseTransitions: 0, ...times } },
    change: { spec: { holderIdentity: 'holder2', leaseDurationSeconds: 60, leaseTransitions: 2, ...times } },
  },
  PodTemplate: {
    of: 'v1/podtemplates',
    kind: 'PodTemplate',
    namespaced: true,
    draft: { template: { spec: { containers: [{ name: 'nginx', image: 'nginx' }] } } },
    change: { metadata: { labels: { podtemplate: 'patched' }, annotations: { patched: 'true' } } },
  },
  RuntimeClass: {
    of: 'node.k8s.io/v1/runtimeclasses',
    kind: 'RuntimeClass',
    draft: { handler: 'runc' },
    change: { scheduling: { nodeSelector: { foo: 'bar' } } },
  },
  DeviceClass: {
    of: 'resource.k8s.io/v1/deviceclasses',
    kind: 'DeviceClass',
    draft: { spec: { selectors: [{ cel: { expression: 'false' } }] } },
    change: { spec: { selectors: [{ cel: { expression: '1 == 0' } }] } },
  },
  ResourceClaim: {
    of: 'resource.k8s.io/v1/resourceclaims',
    kind: 'ResourceClaim',
    namespaced: true,
    draft: { spec: claim },
    parts: { status: { status: { allocation: {} } } },
  },
  ResourceClaimTemplate: {
    of: 'resource.k8s.io/v1/resourceclaimtemplates',
    kind: 'ResourceClaimTemplate',
    namespaced: true,
    draft: { spec: { spec: claim } },
  },
  ResourceSlice: {
    of: 'resource.k8s.io/v1/resourceslices',
    kind: 'ResourceSlice',
    draft: {
      spec: {
        driver: 'dra.example.com',
        pool: { name: 'cluster', generation: 1, resourceSliceCount: 1 },
        nodeName: 'no-such-node',
      },
    },
    change: { spec: { devices: [{ name: 'device-0' }] } },
  },
  Endpoints: {
    of: 'v1/endpoints',
    kind: 'Endpoints',
    namespaced: true,
    draft: { subsets: [{ addresses: [{ ip: '10.0.0.24' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }] },
    change: { subsets: [{ addresses: [{ ip: '10.0.0.25' }], ports: [{ name: 'http-test', port: 8080 }] }] },
  },
  EndpointSlice: {
    of: 'discovery.k8s.io/v1/endpointslices',
    kind: 'EndpointSlice',
    namespaced: true,
    draft: {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4', '5.6.7.8'] }, { addresses: ['2.2.3.4', '6.6.7.8'] }],
    },
    change: { ports: [{ name: 'http', port: 8080 }] },
  },
  Ingress: {
    of: 'networking.k8s.io/v1/ingresses',
    kind: 'Ingress',
    namespaced: true,
    draft: { spec: { defaultBackend: { service: { name: 'default', port: { number: 80 } } }, rules: [ingressRule] } },
    change: { spec: { defaultBackend: { service: { name: 'other' } } } },
    annotatesParts: true,
    parts: { status: { status: { loadBalancer: { ingress: [{ ip: '169.1.1.1' }] } } } },
  },
  IngressClass: {
    of: 'networking.k8s.io/v1/ingressclasses',
    kind: 'IngressClass',
    draft: { spec: { controller: 'example.com/controller' } },
    change: { spec: { parameters: { scope: 'Cluster', kind: 'Parameters', name: 'x', apiGroup: 'example.com' } } },
  },
  IPAddress: {
    of: 'networking.k8s.io/v1/ipaddresses',
    kind: 'IPAddress',
    names: ['255.255.255.255', 'fe80::42:1dff:fe84:f9e2', '192.0.2.1'],
    draft: { spec: { parentRef } },
  },
  Node: {
    of: 'v1/nodes',
    kind: 'Node',
    draft: { spec: { unschedulable: true }, status: { phase: 'Running' } },
    change: { spec: { taints: [{ key: 'test', value: 'yes', effect: 'NoSchedule' }] } },
    parts: { status: { status: { conditions: [condition('Ready')] } } },
  },
  CSIDriver: {
    of: 'storage.k8s.io/v1/csidrivers',
    kind: 'CSIDriver',
    draft: { spec: { volumeLifecycleModes: ['Ephemeral'], fsGroupPolicy: 'ReadWriteOnceWithFSType' } },
    change: { spec: { requiresRepublish: true } },
  },
  CSINode: {
    of: 'storage.k8s.io/v1/csinodes',
    kind: 'CSINode',
    draft: { spec: { drivers: null } },
    change: { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: null }] } },
  },
  CSIStorageCapacity: {
    of: 'storage.k8s.io/v1/csistoragecapacities',
    kind: 'CSIStorageCapacity',
    namespaced: true,
    draft: { storageClassName: 'e2e.example.com' },
    change: { capacity: '10Gi' },
  },
  StorageClass: {
    of: 'storage.k8s.io/v1/storageclasses',
    kind: 'StorageClass',
    draft: { provisioner: 'e2e-fake-provisioner', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    change: { allowVolumeExpansion: true },
  },
  VolumeAttachment: {
    of: 'storage.k8s.io/v1/volumeattachments',
    kind: 'VolumeAttachment',
    draft: { spec: { attacher: 'e2e-test.storage.k8s.io', nodeName: 'node', source: { persistentVolumeName: 'pv' } } },
    parts: { status: { status: { attached: true } } },
  },
  VolumeAttributesClass: {
    of: 'storage.k8s.io/v1/volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    draft: { driverName: 'e2e-fake-csi-driver', parameters: { a: 'b' } },
  },
};

const server = await runningControlPlane(t);
const all = kit(t, server);
for (const [name, life] of Object.entries(lives)) await t.test(name, t => livesThrough(t, all, life));
