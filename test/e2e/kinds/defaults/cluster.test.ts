/** Namespaces, limits, nodes, leases and kinds of scheduling: defaults. */
import { testDefaults } from './defaults.js';

testDefaults('namespaces', [
  {
    name: 'the name label is overwritten',
    given: { metadata: { name: 'labelled', labels: { 'kubernetes.io/metadata.name': 'z' } } },
    expect: {
      metadata: { labels: { 'kubernetes.io/metadata.name': 'labelled' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  },
  {
    name: 'a namespace',
    given: {},
    expect: {
      metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  },
]);

testDefaults('limitranges', [
  {
    name: 'the request is the minimum',
    given: { spec: { limits: [{ type: 'Container', min: { cpu: '1' } }] } },
    expect: { spec: { limits: [{ type: 'Container', min: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
  },
  {
    name: 'the request is the default limit',
    given: { spec: { limits: [{ type: 'Container', default: { cpu: '2' }, min: { cpu: '1' } }] } },
    expect: {
      spec: { limits: [{ type: 'Container', min: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '2' } }] },
    },
  },
  {
    name: 'the default limit is the maximum',
    given: { spec: { limits: [{ type: 'Container', max: { cpu: '1.5' }, min: { cpu: '1' } }] } },
    expect: {
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '1500m' },
            min: { cpu: '1' },
            default: { cpu: '1500m' },
            defaultRequest: { cpu: '1500m' },
          },
        ],
      },
    },
  },
  {
    name: 'limits of pods have no defaults',
    given: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
    expect: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
  },
  {
    name: 'only a maximum',
    given: { spec: { limits: [{ type: 'Container', max: { cpu: '1.5' } }] } },
    expect: {
      spec: {
        limits: [
          { type: 'Container', max: { cpu: '1500m' }, default: { cpu: '1500m' }, defaultRequest: { cpu: '1500m' } },
        ],
      },
    },
  },
]);

testDefaults('resourcequotas', [
  {
    name: 'quantities',
    given: { spec: { hard: { cpu: '1.5', memory: '1024Mi', 'requests.storage': '1000M', pods: '1e1' } } },
    expect: { spec: { hard: { cpu: '1500m', memory: '1Gi', pods: '10', 'requests.storage': '1G' } }, status: {} },
  },
]);

testDefaults('nodes', [
  {
    name: 'a node',
    given: { spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '1.5' } } },
    expect: {
      spec: {
        podCIDR: '10.0.0.0/24',
        podCIDRs: ['10.0.0.0/24'],
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
      status: {
        capacity: { cpu: '1500m' },
        allocatable: { cpu: '1500m' },
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      },
    },
  },
]);

testDefaults('leases', [
  {
    name: 'a lease',
    given: { spec: {} },
    expect: { spec: {} },
  },
]);

testDefaults('runtimeclasses', [
  {
    name: 'a runtime class',
    given: { handler: 'h' },
    expect: { handler: 'h' },
  },
]);

testDefaults('priorityclasses', [
  {
    name: 'a priority class',
    given: { value: 1 },
    expect: { metadata: { generation: 1 }, value: 1, preemptionPolicy: 'PreemptLowerPriority' },
  },
]);

testDefaults('poddisruptionbudgets', [
  {
    name: 'a budget',
    given: { spec: { minAvailable: 1 } },
    expect: {
      metadata: { generation: 1 },
      spec: { minAvailable: 1 },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
  },
]);
