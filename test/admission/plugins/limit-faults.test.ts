/** The limits of a LimitRange. as plugin/pkg/admission/limitranger minConstraint, maxConstraint and limitRequestRatioConstraint */
import t from 'tap';
import type { LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, PodSpec } from '../../../api/kubernetes/core.js';
import { limitFaults } from '../../../admission/plugins/limit-faults.js';

const range = (...limits: readonly LimitRangeItem[]): LimitRange => ({
  ...{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' } },
  spec: { limits: [...limits] },
});
const podOf = (spec: PodSpec): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
/** Returns a pod with one container that requests and may use so much cpu. */
const using = (request?: string, limit?: string): Pod =>
  podOf({
    containers: [
      {
        name: 'c',
        resources: {
          ...(request !== undefined && { requests: { cpu: request } }),
          ...(limit !== undefined && { limits: { cpu: limit } }),
        },
      },
    ],
  });
const claimOf = (storage?: string): PersistentVolumeClaim => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' } },
  spec: { resources: storage === undefined ? {} : { requests: { storage } } },
});

t.test('each container has at least the minimum', async t => {
  const limit = range({ type: 'Container', min: { cpu: '1' } });
  const text = 'minimum cpu usage per Container is 1';
  for (const [request, most, expected] of [
    ['1', '1', []],
    ['1000m', undefined, []],
    ['999m', '1', [`${text}, but request is 999m`]],
    ['1', '999m', [`${text}, but limit is 999m`]],
    [undefined, '2', [`${text}.  No request is specified`]],
    [undefined, undefined, [`${text}.  No request is specified`]],
  ] as const)
    t.strictSame(limitFaults(limit, using(request, most)), expected, `${request} ${most}`);
});

t.test('each container has at most the maximum', async t => {
  const limit = range({ type: 'Container', max: { cpu: '1' } });
  const text = 'maximum cpu usage per Container is 1';
  for (const [request, most, expected] of [
    ['1', '1', []],
    [undefined, '1000m', []],
    ['1', '1001m', [`${text}, but limit is 1001m`]],
    ['1001m', '1', [`${text}, but request is 1001m`]],
    ['1', undefined, [`${text}.  No limit is specified`]],
    [undefined, undefined, [`${text}.  No limit is specified`]],
  ] as const)
    t.strictSame(limitFaults(limit, using(request, most)), expected, `${request} ${most}`);
});

t.test('the limit is at most so many times the request', async t => {
  const limit = range({ type: 'Container', maxLimitRequestRatio: { cpu: '2' } });
  const text = 'cpu max limit to request ratio per Container is 2';
  for (const [request, most, expected] of [
    ['1', '2', []],
    ['1', '2001m', [`${text}, but provided ratio is 2.001000`]],
    ['0', '1', [`${text}, but no request is specified or request is 0`]],
    [undefined, '1', [`${text}, but no request is specified or request is 0`]],
    ['1', '0', [`${text}, but no limit is specified or limit is 0`]],
    ['1', undefined, [`${text}, but no limit is specified or limit is 0`]],
  ] as const)
    t.strictSame(limitFaults(limit, using(request, most)), expected, `${request} ${most}`);
});

t.test('a limit of a pod is for its containers together, and for its own cpu and memory if it has them', async t => {
  const limit = range({ type: 'Pod', max: { cpu: '3', 'example.com/gpu': '1' } });
  const container = (name: string, cpu: string, gpu = '0') => ({
    name,
    resources: { limits: { cpu, 'example.com/gpu': gpu } },
  });
  const above = 'maximum cpu usage per Pod is 3, but limit is';
  const pair = [container('a', '1'), container('b', '2')];
  t.strictSame(limitFaults(limit, podOf({ containers: pair })), []);
  t.strictSame(limitFaults(limit, podOf({ containers: [...pair, container('c', '1m')] })), [`${above} 3001m`]);
  t.strictSame(limitFaults(limit, podOf({ containers: pair, initContainers: [container('i', '4')] })), [`${above} 4`]);
  const resources = { limits: { cpu: '5', 'example.com/gpu': '9' } };
  t.strictSame(limitFaults(limit, podOf({ containers: pair, resources })), [`${above} 5`]);
});

t.test('a claim is bounded by its requests alone', async t => {
  const limit = range({
    ...{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
    maxLimitRequestRatio: { storage: '1' },
  });
  t.strictSame(limitFaults(limit, claimOf('1Gi')), []);
  t.strictSame(limitFaults(limit, claimOf('2Gi')), []);
  t.strictSame(limitFaults(limit, claimOf('1Mi')), [
    'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
  ]);
  t.strictSame(limitFaults(limit, claimOf('3Gi')), [
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  ]);
  t.strictSame(limitFaults(limit, claimOf()), [
    'minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified',
    'maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified',
  ]);
});

t.test('limits of another type do not apply', async t => {
  const min = { cpu: '1', storage: '1Gi' };
  t.strictSame(limitFaults(range({ type: 'PersistentVolumeClaim', min }), using()), []);
  t.strictSame(limitFaults(range({ type: 'Container', min }, { type: 'Pod', min }), claimOf()), []);
  t.strictSame(limitFaults(range({ type: 'example.com/other', min }), using()), []);
  t.strictSame(limitFaults({ apiVersion: 'v1', kind: 'LimitRange', metadata: {} }, using()), []);
});

t.test('the faults of all limits and containers come in one order', async t => {
  const limits = range({ type: 'Container', min: { memory: '1', cpu: '1' }, max: { cpu: '1' } });
  const given = podOf({ containers: [{ name: 'a' }], initContainers: [{ name: 'i' }] });
  const each = [
    'minimum cpu usage per Container is 1.  No request is specified',
    'minimum memory usage per Container is 1.  No request is specified',
    'maximum cpu usage per Container is 1.  No limit is specified',
  ];
  t.strictSame(limitFaults(limits, given), [...each, ...each]);
});
