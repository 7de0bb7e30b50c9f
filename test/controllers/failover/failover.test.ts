import t from 'tap';
import { cloneJson } from '../../../lib/json/clone.js';
import { evictCluster, type Eviction } from '../../../controllers/eviction/evict.js';
import { evictionOf, overdue, unhealthyClusters, unrecoveredClusters } from '../../../controllers/failover/failover.js';
import { noteTimes, unhealthyTimes } from '../../../controllers/failover/unhealthy-since.js';
import type { Binding, Failover } from '../../../api/karmada/types.js';

const gates = { GracefulEviction: true, StatefulFailoverInjection: true };

const binding: Binding = {
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { namespace: 'n', name: 'b' },
  spec: {
    resource: { apiVersion: 'v1', kind: 'X', name: 'x' },
    clusters: [{ name: 'ill', replicas: 2 }, { name: 'well' }],
    gracefulEvictionTasks: [{ fromCluster: 'left', reason: 'r', producer: 'p' }],
  },
  status: {
    aggregatedStatus: [
      { clusterName: 'ill', health: 'Unhealthy', status: { replicas: 2, deep: { job: 'j1' } } },
      { clusterName: 'left', health: 'Unhealthy' },
      { clusterName: 'lost', health: 'Unknown' },
      { clusterName: 'well', health: 'Healthy' },
    ],
  },
};

t.test('clusters that are unhealthy for too long are overdue', async t => {
  t.same(unhealthyClusters(binding), ['ill']);
  t.same(unhealthyClusters({ ...binding, spec: { ...binding.spec, clusters: [] } }), [], 'only targets are evicted');
  t.same(unrecoveredClusters(binding), ['ill']);
  t.same(unrecoveredClusters({ ...binding, status: {} }), ['ill', 'well']);
  const since = new Map([
    ['a', 0],
    ['b', 600],
  ]);
  t.same(overdue(since, 1000, 1000), { evict: ['a'], againAfter: 600 });
  t.same(overdue(new Map(), 1000, 1000), { evict: [], againAfter: undefined });
});

t.test('the times are noted in the binding', async t => {
  const draft = cloneJson(binding);
  noteTimes(draft, new Map([['ill', 1000]]));
  t.strictSame(draft.metadata.annotations, {
    'failover.flagship.io/unhealthy-since': '{"ill":"1970-01-01T00:00:01.000Z"}',
  });
  t.strictSame(
    [...unhealthyTimes(draft, ['ill', 'new'], [], 5000)],
    [
      ['ill', 1000],
      ['new', 5000],
    ],
  );
  t.strictSame([...unhealthyTimes(draft, ['ill'], [], 500)], [['ill', 500]], 'the clock was ahead');
  t.strictSame([...unhealthyTimes(draft, [], ['ill', 'new'], 5000)], [['ill', 1000]], 'the time goes on');
  noteTimes(draft, new Map());
  t.equal(draft.metadata.annotations, undefined);
  for (const text of ['', '{', 'null', '[]', '{"ill":1}', '{"ill":"soon"}']) {
    draft.metadata.annotations = { 'failover.flagship.io/unhealthy-since': text };
    t.strictSame([...unhealthyTimes(draft, ['ill'], [], 5000)], [['ill', 5000]], text);
  }
});

t.test('an eviction follows the purge mode of the policy', async t => {
  const common = { reason: 'ApplicationFailure', producer: 'me' };
  const decisionConditions = {};
  const rules = [
    { aliasLabelName: 'count', jsonPath: '{.replicas}' },
    { aliasLabelName: 'job', jsonPath: '{.deep.job}' },
  ];
  const cases: { name: string; given: NonNullable<Failover['application']>; expect: object }[] = [
    {
      name: 'Gracefully',
      given: { decisionConditions, purgeMode: 'Gracefully', gracePeriodSeconds: 9 },
      expect: { ...common, purgeMode: 'Gracefully', gracePeriodSeconds: 9 },
    },
    {
      name: 'Never',
      given: { decisionConditions, purgeMode: 'Never' },
      expect: { ...common, purgeMode: 'Never', suppressDeletion: true },
    },
    {
      name: 'Directly, with preserved state',
      given: { decisionConditions, purgeMode: 'Directly', statePreservation: { rules } },
      expect: {
        ...common,
        purgeMode: 'Directly',
        preservedLabelState: { count: '2', job: 'j1' },
        clustersBeforeFailover: ['ill', 'well'],
      },
    },
  ];
  for (const { name, given, expect } of cases) t.same(evictionOf(binding, 'ill', given, 'me', gates), expect, name);

  const refuse = (change: object, cluster: string, path: string): void => {
    const statePreservation = { rules: [{ aliasLabelName: 'a', jsonPath: path }] };
    const behavior = { decisionConditions, purgeMode: 'Gracefully' as const, statePreservation };
    evictionOf(binding, cluster, behavior, 'me', { ...gates, ...change });
  };
  t.throws(() => refuse({ GracefulEviction: false }, 'ill', '{.replicas}'), { message: /featureGate must be enabled/ });
  t.throws(() => refuse({}, 'lost', '{.replicas}'), { message: /has not yet been collected from Cluster\(lost\)/ });
  t.throws(() => refuse({}, 'ill', '{.none'), { name: 'ExpectedError', message: /unclosed action/ });
  t.throws(() => refuse({}, 'ill', '{.none}'), { message: /failed to execute jsonpath "{.none}"/ });
});

t.test('an eviction removes the target and adds a task', async t => {
  const eviction: Eviction = { reason: 'r', producer: 'me' };
  const { spec } = cloneJson(binding);
  evictCluster(spec, 'ill', eviction);
  t.same(spec.clusters, [{ name: 'well' }]);
  t.same(spec.gracefulEvictionTasks?.at(-1), { fromCluster: 'ill', reason: 'r', producer: 'me', replicas: 2 });
  evictCluster(spec, 'nowhere', eviction);
  t.equal(spec.gracefulEvictionTasks?.length, 2, 'only targets are evicted');
  spec.clusters = [{ name: 'left' }];
  evictCluster(spec, 'left', eviction);
  t.same(spec.clusters, []);
  t.equal(spec.gracefulEvictionTasks?.length, 2, 'one task per cluster');
});
