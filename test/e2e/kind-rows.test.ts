/** Rows of Tables, cell by cell, of what Kubernetes 1.36 was seen to print. */
import t from 'tap';
import { apps, batch, core, objectOf, table } from './kind-scene.js';
import { inJson, merge, refusal, wire } from './wire.js';
import { runningServer } from '../apiserver/running.js';

const containers = [{ name: 'c', image: 'i' }];
const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
const selector = { matchLabels: { a: 'b' } };
const once = { spec: { restartPolicy: 'Never', containers } };
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
const age = /^\d+s$/;

interface Case {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly given: object;
  readonly status?: object;
  /** It is deleted, and stays for its finalizers. */
  readonly goes?: boolean;
  readonly expect: (name: string) => readonly unknown[];
  readonly conditions?: readonly object[];
}

const cases: readonly Case[] = [
  {
    name: 'KND-071 a reason',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: { phase: 'Failed', reason: 'Evicted' },
    expect: name => [name, '0/1', 'Evicted', '0', age, '<none>', '<none>', '<none>', '<none>'],
    conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
  },
  {
    name: 'KND-071 a phase',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: { phase: 'Running' },
    expect: name => [name, '0/1', 'Running', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 waits for its gates',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers, schedulingGates: [{ name: 'a.b/c' }] } },
    expect: name => [name, '0/1', 'SchedulingGated', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 waits for its gates',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers, schedulingGates: [{ name: 'a.b/c' }] } },
    status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    expect: name => [name, '0/1', 'SchedulingGated', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 starts: none done',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'i',
          state: { waiting: { reason: 'PodInitializing' } },
        },
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'j',
          state: { waiting: { reason: 'PodInitializing' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Init:0/2', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 starts: one done',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        { image: 'a', imageID: '', restartCount: 0, ready: false, name: 'i', state: { terminated: { exitCode: 0 } } },
        { image: 'a', imageID: '', restartCount: 0, ready: false, name: 'j', state: { running: {} } },
      ],
    },
    expect: name => [name, '0/1', 'Init:1/2', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 start failed',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        { image: 'a', imageID: '', restartCount: 2, ready: false, name: 'i', state: { terminated: { exitCode: 1 } } },
      ],
    },
    expect: name => [name, '0/1', 'Init:ExitCode:1', '2', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 start was killed',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'i',
          state: { terminated: { exitCode: 137, signal: 9 } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Init:Signal:9', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 start failed, with a reason',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'i',
          state: { waiting: { reason: 'CrashLoopBackOff' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Init:CrashLoopBackOff', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 start ended with a reason',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers,
        initContainers: [
          { name: 'i', image: 'i' },
          { name: 'j', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'i',
          state: { terminated: { exitCode: 1, reason: 'Error' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Init:Error', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 waits',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Pending',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { waiting: { reason: 'ImagePullBackOff' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'ImagePullBackOff', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 ended with a reason',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Failed',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { terminated: { exitCode: 2, reason: 'Error' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Error', '0', age, '<none>', '<none>', '<none>', '<none>'],
    conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
  },
  {
    name: 'KND-071 ended with a code',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Failed',
      containerStatuses: [
        { image: 'a', imageID: '', restartCount: 0, ready: false, name: 'c', state: { terminated: { exitCode: 2 } } },
      ],
    },
    expect: name => [name, '0/1', 'ExitCode:2', '0', age, '<none>', '<none>', '<none>', '<none>'],
    conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
  },
  {
    name: 'KND-071 was killed',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Failed',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { terminated: { exitCode: 2, signal: 9 } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Signal:9', '0', age, '<none>', '<none>', '<none>', '<none>'],
    conditions: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
  },
  {
    name: 'KND-071 one done, one ready',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
        { image: 'a', imageID: '', restartCount: 0, ready: true, name: 'd', state: { running: {} } },
      ],
    },
    expect: name => [name, '1/2', 'Running', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 one done, one not ready',
    path: `${core}/pods`,
    kind: 'Pod',
    given: {
      spec: {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'd', image: 'i' },
        ],
      },
    },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
        { image: 'a', imageID: '', restartCount: 0, ready: true, name: 'd', state: { running: {} } },
      ],
    },
    expect: name => [name, '1/2', 'NotReady', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 done',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Succeeded',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 0,
          ready: false,
          name: 'c',
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
      ],
    },
    expect: name => [name, '0/1', 'Completed', '0', age, '<none>', '<none>', '<none>', '<none>'],
    conditions: [
      { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
    ],
  },
  {
    name: 'KND-071 restarted long ago',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers } },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          image: 'a',
          imageID: '',
          restartCount: 3,
          ready: true,
          name: 'c',
          state: { running: {} },
          lastState: { terminated: { exitCode: 1, finishedAt: '2020-01-01T00:00:00Z' } },
        },
      ],
    },
    expect: name => [name, '1/1', 'Running', /^3 \(\d+y(\d+d)? ago\)$/, age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 goes',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers }, metadata: { name: 'goes', finalizers: ['a.b/c'] } },
    status: { phase: 'Running' },
    goes: true,
    expect: () => ['goes', '0/1', 'Terminating', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 goes with its node',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers }, metadata: { name: 'lost', finalizers: ['a.b/c'] } },
    status: { phase: 'Running', reason: 'NodeLost' },
    goes: true,
    expect: () => ['lost', '0/1', 'Unknown', '0', age, '<none>', '<none>', '<none>', '<none>'],
  },
  {
    name: 'KND-071 where it is',
    path: `${core}/pods`,
    kind: 'Pod',
    given: { spec: { containers, readinessGates: [{ conditionType: 'a.b/gate' }, { conditionType: 'a.b/other' }] } },
    status: {
      phase: 'Running',
      podIP: '1.2.3.4',
      podIPs: [{ ip: '1.2.3.4' }],
      nominatedNodeName: 'm',
      conditions: [{ type: 'a.b/gate', status: 'True' }],
    },
    expect: name => [name, '0/1', 'Running', '0', age, '1.2.3.4', '<none>', 'm', '1/2'],
  },
  {
    name: 'KND-072 StatefulSet',
    path: `${apps}/statefulsets`,
    kind: 'StatefulSet',
    given: { spec: { selector, template, replicas: 3 } },
    status: { replicas: 2, readyReplicas: 1 },
    expect: name => [name, '1/3', age, 'c', 'i'],
  },
  {
    name: 'KND-072 ReplicaSet',
    path: `${apps}/replicasets`,
    kind: 'ReplicaSet',
    given: { spec: { selector, template, replicas: 3 } },
    status: { replicas: 2, readyReplicas: 1 },
    expect: name => [name, 3, 2, 1, age, 'c', 'i', 'a=b'],
  },
  {
    name: 'KND-072 DaemonSet',
    path: `${apps}/daemonsets`,
    kind: 'DaemonSet',
    given: { spec: { selector, template } },
    status: {
      desiredNumberScheduled: 4,
      currentNumberScheduled: 3,
      numberReady: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberMisscheduled: 0,
    },
    expect: name => [name, 4, 3, 2, 1, 1, '<none>', age, 'c', 'i', 'a=b'],
  },
  {
    name: 'KND-072 job: Running',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    status: {},
    expect: name => [name, 'Running', '0/1', '', age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: Suspended',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, suspend: true } },
    status: { conditions: [{ type: 'Suspended', status: 'True' }] },
    expect: name => [name, 'Suspended', '0/1', '', age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: Complete',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    status: {
      startTime: '2026-01-01T00:00:00Z',
      completionTime: '2026-01-01T00:01:40Z',
      succeeded: 1,
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True' },
        { type: 'Complete', status: 'True' },
      ],
    },
    expect: name => [name, 'Complete', '1/1', '100s', age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: Failed',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    status: {
      startTime: '2026-01-01T00:00:00Z',
      failed: 1,
      conditions: [
        { type: 'FailureTarget', status: 'True' },
        { type: 'Failed', status: 'True' },
      ],
    },
    expect: name => [name, 'Failed', '0/1', /^\d+(y|d)/, age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: FailureTarget',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'FailureTarget', status: 'True' }] },
    expect: name => [name, 'FailureTarget', '0/1', /^\d+(y|d)/, age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: SuccessCriteriaMet',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once } },
    status: { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'SuccessCriteriaMet', status: 'True' }] },
    expect: name => [
      name,
      'SuccessCriteriaMet',
      '0/1',
      /^\d+(y|d)/,
      age,
      'c',
      'i',
      /^batch.kubernetes.io\/controller-uid=/,
    ],
  },
  {
    name: 'KND-072 job: one of three',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, completions: 3 } },
    status: { succeeded: 1 },
    expect: name => [name, 'Running', '1/3', '', age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 job: two beside each other',
    path: `${batch}/jobs`,
    kind: 'Job',
    given: { spec: { template: once, parallelism: 2 } },
    status: {},
    expect: name => [name, 'Running', '0/1 of 2', '', age, 'c', 'i', /^batch.kubernetes.io\/controller-uid=/],
  },
  {
    name: 'KND-072 CronJob',
    path: `${batch}/cronjobs`,
    kind: 'CronJob',
    given: {
      spec: { schedule: '* * * * *', timeZone: 'UTC', suspend: true, jobTemplate: { spec: { template: once } } },
    },
    status: { active: [{}], lastScheduleTime: '2020-01-01T00:00:00Z' },
    expect: name => [name, '* * * * *', 'UTC', 'True', 1, /^\d+y(\d+d)?$/, age, 'c', 'i', '<none>'],
  },
  {
    name: 'KND-073 unknown',
    path: '/api/v1/nodes',
    kind: 'Node',
    given: {},
    expect: name => [name, 'Unknown', '<none>', age, '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  },
  {
    name: 'KND-074 inside',
    path: `${core}/services`,
    kind: 'Service',
    given: {
      spec: {
        ports: [
          { port: 80, name: 'a' },
          { port: 443, name: 'b', protocol: 'UDP' },
        ],
        selector: { k: 'v', a: 'b' },
      },
    },
    expect: name => [name, 'ClusterIP', /^10\./, '<none>', '80/TCP,443/UDP', age, 'a=b,k=v'],
  },
  {
    name: 'KND-074 headless',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { clusterIP: 'None' } },
    expect: name => [name, 'ClusterIP', 'None', '<none>', '<none>', age, '<none>'],
  },
  {
    name: 'KND-074 from outside',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4', '5.6.7.8'] } },
    expect: name => [name, 'ClusterIP', /^10\./, '1.2.3.4,5.6.7.8', '80/TCP', age, '<none>'],
  },
  {
    name: 'KND-074 another name',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'ExternalName', externalName: 'a.b' } },
    expect: name => [name, 'ExternalName', '<none>', 'a.b', '<none>', age, '<none>'],
  },
  {
    name: 'KND-074 balanced',
    path: `${core}/services`,
    kind: 'Service',
    given: { spec: { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30081 }], externalIPs: ['9.9.9.9'] } },
    status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'h.x' }] } },
    expect: name => [name, 'LoadBalancer', /^10\./, '1.1.1.1,h.x,9.9.9.9', '80:30081/TCP', age, '<none>'],
  },
  {
    name: 'KND-074 endpoints',
    path: `${core}/endpoints`,
    kind: 'Endpoints',
    given: {
      subsets: [
        {
          addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }, { ip: '1.1.1.3' }, { ip: '1.1.1.4' }, { ip: '1.1.1.5' }],
          ports: [{ port: 80 }],
        },
      ],
    },
    expect: name => [name, '1.1.1.1:80,1.1.1.2:80,1.1.1.3:80 + 2 more...', age],
  },
  {
    name: 'KND-074 no endpoints',
    path: `${core}/endpoints`,
    kind: 'Endpoints',
    given: {},
    expect: name => [name, '<none>', age],
  },
  {
    name: 'KND-074 slice',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    kind: 'EndpointSlice',
    given: {
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['1.1.1.1'] },
        { addresses: ['1.1.1.2'] },
        { addresses: ['1.1.1.3'] },
        { addresses: ['1.1.1.4'] },
      ],
      ports: [{ port: 80 }, { port: 81, name: 'b' }, { name: 'c' }, { port: 83, name: 'd' }],
    },
    expect: name => [name, 'IPv4', '80,81,c + 1 more...', '1.1.1.1,1.1.1.2,1.1.1.3 + 1 more...', age],
  },
  {
    name: 'KND-074 empty slice',
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    kind: 'EndpointSlice',
    given: { addressType: 'IPv4', endpoints: [] },
    expect: name => [name, 'IPv4', '<unset>', '<unset>', age],
  },
  {
    name: 'KND-075 measured',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: {
      spec: {
        maxReplicas: 3,
        minReplicas: 2,
        scaleTargetRef: target,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 70 } } },
          { type: 'Resource', resource: { name: 'x.y/z', target: { type: 'AverageValue', averageValue: '5' } } },
        ],
      },
    },
    status: {
      currentReplicas: 2,
      desiredReplicas: 2,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 12, averageValue: '100m' } } },
      ],
    },
    expect: name => [name, 'Deployment/x', 'cpu: 12%/80%, memory: <unknown>/70% + 1 more...', '2', 3, 2, age],
  },
  {
    name: 'KND-075 other metrics',
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    given: {
      spec: {
        maxReplicas: 3,
        scaleTargetRef: target,
        metrics: [
          { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } },
          { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '5' } } },
        ],
      },
    },
    status: { currentReplicas: 2, desiredReplicas: 2, currentMetrics: null },
    expect: name => [name, 'Deployment/x', '<unknown>/5, <unknown>/5', '1', 3, 2, age],
  },
  {
    name: 'KND-075 claim',
    path: `${core}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
    given: {
      spec: {
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'v',
        storageClassName: 's',
      },
    },
    status: {
      phase: 'Bound',
      accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'],
      capacity: { storage: '1Gi' },
    },
    expect: name => [name, 'Bound', 'v', '1Gi', 'RWO,ROX,RWX,RWOP', 's', '<unset>', age, 'Filesystem'],
  },
  {
    name: 'KND-075 claim that waits',
    path: `${core}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
    given: {
      spec: {
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
        resources: { requests: { storage: '1Gi' } },
      },
    },
    expect: name => [name, 'Pending', '', '', '', '', '<unset>', age, 'Filesystem'],
  },
  {
    name: 'KND-075 claim that goes',
    path: `${core}/persistentvolumeclaims`,
    kind: 'PersistentVolumeClaim',
    given: {
      metadata: { name: 'cgo', finalizers: ['a.b/c'] },
      spec: {
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
        resources: { requests: { storage: '1Gi' } },
      },
    },
    goes: true,
    expect: () => ['cgo', 'Terminating', '', '', '', '', '<unset>', age, 'Filesystem'],
  },
  {
    name: 'KND-075 volume',
    path: '/api/v1/persistentvolumes',
    kind: 'PersistentVolume',
    given: {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOncePod'],
        hostPath: { path: '/a' },
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
        volumeAttributesClassName: null,
      },
    },
    status: { phase: 'Available', reason: 'because' },
    expect: name => [name, '1Gi', 'RWOP', 'Retain', 'Available', 'n/c', 's', '<unset>', 'because', age, 'Filesystem'],
  },
  {
    name: 'KND-075 volume that goes',
    path: '/api/v1/persistentvolumes',
    kind: 'PersistentVolume',
    given: {
      metadata: { name: 'vgo', finalizers: ['a.b/c'] },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
    },
    goes: true,
    expect: () => ['vgo', '1Gi', 'RWO', 'Retain', 'Terminating', '', '', '<unset>', '', age, 'Filesystem'],
  },
  {
    name: 'KND-075 any host',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    kind: 'Ingress',
    given: { spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } } },
    expect: name => [name, '<none>', '*', '', '80', age],
  },
  {
    name: 'KND-075 hosts',
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    kind: 'Ingress',
    given: {
      spec: {
        ingressClassName: 'k',
        tls: [{ hosts: ['a.x'] }],
        rules: [
          {
            host: 'a.x',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }],
            },
          },
          {
            host: 'b.x',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }],
            },
          },
          {
            host: 'c.x',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }],
            },
          },
          {
            host: 'd.x',
            http: {
              paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }],
            },
          },
        ],
      },
    },
    status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'h.x' }] } },
    expect: name => [name, 'k', 'a.x,b.x,c.x + 1 more...', '1.1.1.1,h.x', '80, 443', age],
  },
  {
    name: 'KND-075 quota',
    path: `${core}/resourcequotas`,
    kind: 'ResourceQuota',
    given: { spec: { hard: { pods: '5', cpu: '1', 'limits.cpu': '2' } } },
    status: { hard: { pods: '5', cpu: '1', 'limits.cpu': '2' }, used: { pods: '0', cpu: '500m' } },
    expect: name => [name, 'cpu: 500m/1, pods: 0/5', 'limits.cpu: 0/2', age],
  },
  {
    name: 'KND-076 event of a series',
    path: `${core}/events`,
    kind: 'Event',
    given: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
      type: 'Normal',
      reason: 'r',
      message: 'm  \n',
      lastTimestamp: '2020-01-01T00:00:00Z',
      firstTimestamp: '2019-01-01T00:00:00Z',
      count: 3,
      series: { count: 7, lastObservedTime: '2021-01-01T00:00:00.000000Z' },
      source: { component: 'a', host: 'h' },
    },
    expect: name => [
      /^\d+y(\d+d)?$/,
      'Normal',
      'r',
      'pod/p',
      'spec.containers{c}',
      'a, h',
      'm',
      /^\d+y(\d+d)?$/,
      7,
      name,
    ],
  },
  {
    name: 'KND-076 event that was seen',
    path: `${core}/events`,
    kind: 'Event',
    given: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
      type: 'Normal',
      reason: 'r',
      message: 'm  \n',
      lastTimestamp: '2020-01-01T00:00:00Z',
      firstTimestamp: '2019-01-01T00:00:00Z',
      count: 3,
      source: { component: 'a' },
    },
    expect: name => [/^\d+y(\d+d)?$/, 'Normal', 'r', 'pod/p', 'spec.containers{c}', 'a', 'm', /^\d+y(\d+d)?$/, 3, name],
  },
  {
    name: 'KND-076 event of a moment',
    path: `${core}/events`,
    kind: 'Event',
    given: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
      type: 'Normal',
      reason: 'r',
      message: 'm  \n',
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingComponent: 'k.l/m',
      reportingInstance: 'i',
      action: 'a',
    },
    expect: name => [
      /^\d+y(\d+d)?$/,
      'Normal',
      'r',
      'pod/p',
      'spec.containers{c}',
      'k.l/m, i',
      'm',
      /^\d+y(\d+d)?$/,
      1,
      name,
    ],
  },
  {
    name: 'KND-076 event of no time',
    path: `${core}/events`,
    kind: 'Event',
    given: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
      type: 'Normal',
      reason: 'r',
      message: 'm  \n',
    },
    expect: name => ['<unknown>', 'Normal', 'r', 'pod/p', 'spec.containers{c}', '', 'm', '<unknown>', 1, name],
  },
  {
    name: 'KND-076 served by others',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    kind: 'APIService',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: {
        group: 'a.b',
        version: 'v1',
        service: { name: 's', namespace: 'n' },
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
      },
    },
    status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound', message: 'm' }] },
    expect: () => ['v1.a.b', 'n/s', 'False (ServiceNotFound)', age],
  },
  {
    name: 'KND-076 a binding',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    kind: 'RoleBinding',
    given: {
      roleRef: { kind: 'ClusterRole', name: 'cluster-admin', apiGroup: 'rbac.authorization.k8s.io' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
    expect: name => [name, 'ClusterRole/cluster-admin', age, 'u', 'g', 'n/s'],
  },
  {
    name: 'KND-076 the default class',
    path: '/apis/storage.k8s.io/v1/storageclasses',
    kind: 'StorageClass',
    given: {
      metadata: { name: 'std', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'a.b/c',
      allowVolumeExpansion: true,
    },
    expect: () => ['std (default)', 'a.b/c', 'Delete', 'Immediate', true, age],
  },
  {
    name: 'KND-070 budget',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    given: { spec: { selector: {} } },
    expect: name => [name, 'N/A', 'N/A', 0, age],
  },
  {
    name: 'KND-073 not ready',
    path: '/api/v1/nodes',
    kind: 'Node',
    given: {
      metadata: {
        name: 'roles',
        labels: { 'node-role.kubernetes.io/b': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'c' },
      },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'Unknown' }],
      addresses: [
        { type: 'InternalIP', address: '1.1.1.1' },
        { type: 'ExternalIP', address: '2.2.2.2' },
      ],
      nodeInfo: { kernelVersion: 'k', osImage: 'o', containerRuntimeVersion: 'c' },
    },
    expect: () => ['roles', 'NotReady', 'a,b,c', age, '', '1.1.1.1', '2.2.2.2', 'o', 'k', 'c'],
  },
];

interface Row {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly object[];
}

t.test('KND-070 to KND-076: rows', async t => {
  const client = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  const ask = inJson(client);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await ask(`POST ${core}/serviceaccounts`, account);
  for (const [i, each] of cases.entries()) {
    const { metadata } = each.given as { metadata?: { name: string } };
    const name = metadata?.name ?? `x${i}`;
    const at = `${each.path}/${name}`;
    const object = objectOf({ ...each, given: { metadata: { name }, ...each.given } });
    const made = await ask(`POST ${each.path}`, object);
    t.equal(made.status, 201, `${each.name} ${made.status === 201 ? '' : refusal(made)}`);
    if (each.status) {
      const set = await ask(`PATCH ${at}/status`, { status: each.status }, merge);
      t.equal(set.status, 200, `${each.name} ${set.status === 200 ? '' : refusal(set)}`);
    }
    if (each.goes) await ask(`DELETE ${at}`);
    const rows = (await client.send(`GET ${at}`, { accept: table })).object['rows'] as readonly Row[];
    const expected = each.expect(name);
    const shown = rows[0]?.cells.map((cell, i) => {
      const wanted = expected[i];
      return wanted instanceof RegExp && wanted.test(String(cell)) ? wanted : cell;
    });
    t.strictSame(shown, expected, each.name);
    t.strictSame(rows[0]?.conditions, each.conditions, `${each.name}: conditions`);
  }
});
