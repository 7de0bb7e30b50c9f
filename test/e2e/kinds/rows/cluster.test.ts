/** Nodes and quotas: rows of Tables. */
import { age, rows } from './rows.js';

rows('nodes', [
  {
    name: 'unknown',
    given: {},
    expect: ['Unknown', '<none>', age, '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
  },
  {
    name: 'not ready',
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
    expect: ['NotReady', 'a,b,c', age, '', '1.1.1.1', '2.2.2.2', 'o', 'k', 'c'],
  },
  {
    name: 'ready, and cordoned',
    given: {
      metadata: { name: 'node', labels: { 'node-role.kubernetes.io/control-plane': '' } },
      spec: { unschedulable: true },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kernelVersion: '6.1', architecture: 'amd64', kubeletVersion: 'v1' },
    },
    expect: [
      'Ready,SchedulingDisabled',
      'control-plane',
      age,
      'v1',
      '<none>',
      '<none>',
      '<unknown>',
      '6.1 (amd64)',
      '<unknown>',
    ],
  },
]);

rows('resourcequotas', [
  {
    name: 'quota',
    given: { spec: { hard: { pods: '5', cpu: '1', 'limits.cpu': '2' } } },
    status: { hard: { pods: '5', cpu: '1', 'limits.cpu': '2' }, used: { pods: '0', cpu: '500m' } },
    expect: ['cpu: 500m/1, pods: 0/5', 'limits.cpu: 0/2', age],
  },
]);
