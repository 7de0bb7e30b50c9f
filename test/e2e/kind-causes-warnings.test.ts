/** What is taken with a warning. */
import t from 'tap';
import { type CauseCase, causesTable } from './kind-causes.js';
import { apps, batch, core } from './kind-scene.js';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { a: 'b' } };
const once = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
const set = { selector, template };

const cases: readonly CauseCase[] = [
  {
    name: 'KND-131 Deployment: a name with a dot',
    path: `${apps}/deployments`,
    kind: 'Deployment',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
  },
  {
    name: 'KND-131 ReplicaSet: a name with a dot',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
  },
  {
    name: 'KND-131 DaemonSet: a name with a dot',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [],
  },
  {
    name: 'KND-131 StatefulSet: a name with a dot',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: ['metadata.name: Invalid value: "a.b": must not contain dots'],
    warnings: [],
  },
  {
    name: 'KND-131 ReplicationController: a name with a dot',
    path: `${core}/replicationcontrollers`,
    kind: 'ReplicationController',
    given: { metadata: { name: 'a.b' }, spec: { template } },
    expect: [],
    warnings: [
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
  },
  {
    name: 'KND-131 Job: a name with a dot',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { metadata: { name: 'a.b' }, spec: { template: once } },
    expect: [],
    warnings: [
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
  },
  {
    name: 'KND-131 CronJob: a name with a dot',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: { metadata: { name: 'a.b' }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template: once } } } },
    expect: [],
    warnings: [
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
  },
  {
    name: 'KND-131 PodTemplate: a name with a dot',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: { metadata: { name: 'a.b' }, template },
    expect: [],
    warnings: [],
  },
  {
    name: 'KND-131 Pod: a name with a dot',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { metadata: { name: 'a.b' }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    expect: [],
    warnings: [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  },
  {
    name: 'KND-131 very many indexes',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { completionMode: 'Indexed', completions: 100001, parallelism: 10001, template: once } },
    expect: [],
    warnings: [
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ],
  },
  {
    name: 'KND-131 a fraction of a byte',
    path: `${core}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
    given: {
      metadata: { name: 'v', annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
    },
    expect: [],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  },
  {
    name: 'KND-131 claims of a set, and its revisions',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: {
      spec: {
        ...set,
        revisionHistoryLimit: -1,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
          },
        ],
      },
    },
    expect: [],
    warnings: [
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
  },
  {
    name: 'KND-131 claims of a set that changes',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: {
      spec: {
        ...set,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500m' } } },
          },
        ],
      },
    },
    patch: { metadata: { labels: { c: 'd' } } },
    expect: [],
    warnings: [
      'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  },
  {
    name: 'KND-131 a volume',
    path: '/api/v1/persistentvolumes',
    kind: 'PersistentVolume',
    given: {
      metadata: { name: 'pv', annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
      spec: {
        capacity: { storage: '1500m' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Recycle',
        hostPath: { path: '/a' },
      },
    },
    expect: [],
    warnings: [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
  },
  {
    name: 'KND-131 labels of zones',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    kind: 'StorageClass',
    given: {
      provisioner: 'a.b/c',
      allowedTopologies: [
        { matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] },
      ],
    },
    expect: [],
    warnings: [
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  },
  {
    name: 'KND-131 tokens of a driver',
    path: '/apis/storage.k8s.io/v1/csidrivers',
    kind: 'CSIDriver',
    given: { spec: { tokenRequests: [{ audience: 'a' }] } },
    expect: [],
    warnings: [
      'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
  },
  {
    name: 'KND-131 a driver in large letters',
    path: '/apis/resource.k8s.io/v1/resourceslices',
    kind: 'ResourceSlice',
    given: { spec: { driver: 'A.b', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    expect: [],
    warnings: ['spec.driver: driver names should be lowercase; "A.b" contains uppercase characters'],
  },
  {
    name: 'KND-131 ranges in another form',
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    kind: 'NetworkPolicy',
    given: { spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: '2001:DB8::/32' } }] }] } },
    expect: [],
    warnings: [
      'spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ],
  },
  {
    name: 'KND-131 nodes of a runtime',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    kind: 'RuntimeClass',
    given: { handler: 'h', scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'l' } } },
    expect: [],
    warnings: ['scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'],
  },
  {
    name: 'KND-131 a class by annotation',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    kind: 'Ingress',
    given: {
      metadata: { name: 'x', annotations: { 'kubernetes.io/ingress.class': 'n' } },
      spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
    },
    expect: [],
    warnings: ['annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead'],
  },
  {
    name: 'KND-131 secrets that may be mounted',
    path: `${core}/serviceaccounts`,
    kind: 'ServiceAccount',
    given: { metadata: { name: 'sa', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    expect: [],
    warnings: [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  },
  {
    name: 'KND-131 endpoints in another form',
    path: `${core}/endpoints`,
    kind: 'Endpoints',
    given: { subsets: [{ addresses: [{ ip: '2001:DB8::1' }], ports: [{ port: 80 }] }] },
    expect: [],
    warnings: [
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
      'subsets[0].addresses[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  },
  {
    name: 'KND-131 slices take one form only',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    kind: 'EndpointSlice',
    given: { addressType: 'IPv6', endpoints: [{ addresses: ['2001:DB8::1'] }] },
    expect: ['endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")'],
    warnings: [],
  },
  {
    name: 'KND-131 addresses in another form',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        type: 'LoadBalancer',
        ports: [{ port: 1 }],
        loadBalancerIP: '2001:DB8::1',
        externalIPs: ['2001:DB8::2'],
        loadBalancerSourceRanges: ['2001:DB8::/32'],
      },
    },
    expect: [],
    warnings: [
      'spec.externalIPs[0]: IPv6 address "2001:DB8::2" should be in RFC 5952 canonical format ("2001:db8::2")',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
      'spec.loadBalancerIP: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.loadBalancerSourceRanges[0]: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")',
    ],
  },
  {
    name: 'KND-131 what services without address do without',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { clusterIP: 'None', externalIPs: ['1.2.3.4'], sessionAffinity: 'ClientIP' } },
    expect: [],
    warnings: [
      'spec.externalIPs is ignored for headless services',
      'spec.SessionAffinity is ignored for headless services',
    ],
  },
];

t.test('KND-131: warnings', async t => causesTable(t, cases));
