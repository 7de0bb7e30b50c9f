/** Pods: rows of Tables. */
import { containers } from '../manifests.js';
import { age, rows } from './rows.js';

const pending = { image: 'a', imageID: '', restartCount: 0, ready: false };
/** Returns the status of a container. */
const container = (name: string, state: object, more: object = {}) => ({ ...pending, name, state, ...more });
/** Returns the status of a pod with one container. */
const only = (phase: string, state: object, more: object = {}) => ({
  phase,
  containerStatuses: [container('c', state, more)],
});
/** Returns the status of a pod that runs its init containers. */
const starts = (...initContainerStatuses: readonly object[]) => ({ phase: 'Pending', initContainerStatuses });
const running = { running: {} };
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, ...more } });

const of = (...names: readonly string[]) => names.map(name => ({ name, image: 'i' }));
const two = { spec: { containers: of('c', 'd') } };
const twoSteps = { spec: { containers, initContainers: of('i', 'j') } };
const nowhere = Array<string>(4).fill('<none>');
const failed = [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];

rows('pods', [
  {
    name: 'a reason',
    given: { spec: { containers } },
    status: { phase: 'Failed', reason: 'Evicted' },
    expect: ['0/1', 'Evicted', '0', age, ...nowhere],
    conditions: failed,
  },
  {
    name: 'a phase',
    given: { spec: { containers } },
    status: { phase: 'Running' },
    expect: ['0/1', 'Running', '0', age, ...nowhere],
  },
  {
    name: 'waits for its gates',
    given: { spec: { containers, schedulingGates: [{ name: 'a.b/c' }] } },
    expect: ['0/1', 'SchedulingGated', '0', age, ...nowhere],
  },
  {
    name: 'waits for its gates',
    given: { spec: { containers, schedulingGates: [{ name: 'a.b/c' }] } },
    status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    expect: ['0/1', 'SchedulingGated', '0', age, ...nowhere],
  },
  {
    name: 'init containers: none done',
    given: twoSteps,
    status: starts(container('i', waiting('PodInitializing')), container('j', waiting('PodInitializing'))),
    expect: ['0/1', 'Init:0/2', '0', age, ...nowhere],
  },
  {
    name: 'init containers: one done',
    given: twoSteps,
    status: starts(container('i', ended(0)), container('j', running)),
    expect: ['0/1', 'Init:1/2', '0', age, ...nowhere],
  },
  {
    name: 'an init container failed',
    given: twoSteps,
    status: starts(container('i', ended(1), { restartCount: 2 })),
    expect: ['0/1', 'Init:ExitCode:1', '2', age, ...nowhere],
  },
  {
    name: 'an init container was killed',
    given: twoSteps,
    status: starts(container('i', ended(137, { signal: 9 }))),
    expect: ['0/1', 'Init:Signal:9', '0', age, ...nowhere],
  },
  {
    name: 'an init container waits with a reason',
    given: twoSteps,
    status: starts(container('i', waiting('CrashLoopBackOff'))),
    expect: ['0/1', 'Init:CrashLoopBackOff', '0', age, ...nowhere],
  },
  {
    name: 'an init container ended with a reason',
    given: twoSteps,
    status: starts(container('i', ended(1, { reason: 'Error' }))),
    expect: ['0/1', 'Init:Error', '0', age, ...nowhere],
  },
  {
    name: 'waits',
    given: { spec: { containers } },
    status: only('Pending', waiting('ImagePullBackOff')),
    expect: ['0/1', 'ImagePullBackOff', '0', age, ...nowhere],
  },
  {
    name: 'ended with a reason',
    given: { spec: { containers } },
    status: only('Failed', ended(2, { reason: 'Error' })),
    expect: ['0/1', 'Error', '0', age, ...nowhere],
    conditions: failed,
  },
  {
    name: 'ended with a code',
    given: { spec: { containers } },
    status: only('Failed', ended(2)),
    expect: ['0/1', 'ExitCode:2', '0', age, ...nowhere],
    conditions: failed,
  },
  {
    name: 'was killed',
    given: { spec: { containers } },
    status: only('Failed', ended(2, { signal: 9 })),
    expect: ['0/1', 'Signal:9', '0', age, ...nowhere],
    conditions: failed,
  },
  {
    name: 'one done, one ready',
    given: two,
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [container('c', ended(0, { reason: 'Completed' })), container('d', running, { ready: true })],
    },
    expect: ['1/2', 'Running', '0', age, ...nowhere],
  },
  {
    name: 'one done, one not ready',
    given: two,
    status: {
      phase: 'Running',
      containerStatuses: [container('c', ended(0, { reason: 'Completed' })), container('d', running, { ready: true })],
    },
    expect: ['1/2', 'NotReady', '0', age, ...nowhere],
  },
  {
    name: 'done',
    given: { spec: { containers } },
    status: only('Succeeded', ended(0, { reason: 'Completed' })),
    expect: ['0/1', 'Completed', '0', age, ...nowhere],
    conditions: [
      { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
    ],
  },
  {
    name: 'restarted long ago',
    given: { spec: { containers } },
    status: only('Running', running, {
      restartCount: 3,
      ready: true,
      lastState: ended(1, { finishedAt: '2020-01-01T00:00:00Z' }),
    }),
    expect: ['1/1', 'Running', /^3 \(\d+y(\d+d)? ago\)$/, age, ...nowhere],
  },
  {
    name: 'deleted',
    given: { spec: { containers }, metadata: { name: 'goes', finalizers: ['a.b/c'] } },
    status: { phase: 'Running' },
    goes: true,
    expect: ['0/1', 'Terminating', '0', age, ...nowhere],
  },
  {
    name: 'deleted on a lost node',
    given: { spec: { containers }, metadata: { name: 'lost', finalizers: ['a.b/c'] } },
    status: { phase: 'Running', reason: 'NodeLost' },
    goes: true,
    expect: ['0/1', 'Unknown', '0', age, ...nowhere],
  },
  {
    name: 'node, addresses and readiness gates',
    given: { spec: { containers, readinessGates: [{ conditionType: 'a.b/gate' }, { conditionType: 'a.b/other' }] } },
    status: {
      phase: 'Running',
      podIP: '1.2.3.4',
      podIPs: [{ ip: '1.2.3.4' }],
      nominatedNodeName: 'm',
      conditions: [{ type: 'a.b/gate', status: 'True' }],
    },
    expect: ['0/1', 'Running', '0', age, '1.2.3.4', '<none>', 'm', '1/2'],
  },
  {
    name: 'waits after restarts',
    given: { spec: { containers } },
    status: only('Running', waiting('CrashLoopBackOff'), { restartCount: 3 }),
    expect: ['0/1', 'CrashLoopBackOff', '3', age, ...nowhere],
  },
]);
