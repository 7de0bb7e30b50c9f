/** Estimates in this process, by mirrors of the members. */
import t, { type Test } from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Informer, InformerFactory, ObjectChange } from '../../../client/runtime/interface.js';
import { silent } from '../../../lib/logging/interface.js';
import { type ConnectMirrors, MirroredEstimator } from '../../../scheduler/estimators/mirrored-estimator.js';
import { RoutedEstimator } from '../../../scheduler/estimators/routed-estimator.js';
import type { AccurateEstimator, EstimateTable } from '../../../scheduler/interface.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { cluster } from '../objects.js';
import { mirrorsOf, SetMirror } from './member/mirror.js';

const { signal } = new AbortController();
const settings = { timeoutMs: 20_000, usesQuotas: false, usesAssumed: true };
const ask = {
  ...{ namespace: 'ns', object: 'kind=Deployment, name=ns/web' },
  requirements: { namespace: 'ns', resourceRequest: { cpu: '3' } },
  assumed: () => [],
};
const node = (name: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name } },
  status: { allocatable: { cpu: '4', pods: '110' } },
});
const pod = (name: string, nodeName: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name } },
  spec: { nodeName, containers: [{ resources: { requests: { cpu: '2' } } }] },
});

/** Two nodes of four CPUs. */
function member(more: Readonly<Record<string, SetMirror>> = {}) {
  const mirrors = { nodes: new SetMirror(), pods: new SetMirror(), ...more };
  mirrors.nodes.set(node('a'), node('b'));
  return { mirrors, informers: mirrorsOf(mirrors), signal };
}

/** The clusters of the control plane. */
function plane(...clusters: readonly Cluster[]) {
  const listeners: ((change: ObjectChange) => void)[] = [];
  const onChange = (listener: (change: ObjectChange) => void): (() => void) => {
    listeners.push(listener);
    return () => undefined;
  };
  const get = (key: string): Cluster | undefined => clusters.find(({ metadata }) => metadata.name === key);
  const informer = { onChange, get } as Partial<Informer> as Informer;
  return {
    informers: { informer: () => informer } as Partial<InformerFactory> as InformerFactory,
    remove(key: string): void {
      for (const listener of listeners)
        listener({ key, old: get(key), new: undefined, oldCached: undefined, newCached: undefined });
    },
  };
}

function estimatorOf(
  t: Test,
  connect: ConnectMirrors,
  { informers } = plane(),
  { clock = steppedClock(), timeoutMs = settings.timeoutMs } = {},
): MirroredEstimator {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  return new MirroredEstimator(
    { ...settings, timeoutMs },
    { connect, informers, clock, log: silent, signal: stop.signal },
  );
}

t.test('each node counts for itself, with what its Pods leave', async t => {
  const m1 = member();
  const connected: unknown[] = [];
  const joined = [
    cluster('m1', {}, { uid: 'u' }),
    cluster('unusable', {}, { uid: 'v' }),
    cluster('pulled', { syncMode: 'Pull' }),
  ];
  const connect: ConnectMirrors = ({ metadata: { name, uid } }) => {
    connected.push([name, uid]);
    return name === 'm1' ? Promise.resolve(m1) : Promise.reject(new Error('it has no secret'));
  };
  const estimator = estimatorOf(t, connect, plane(...joined));
  // Decisions have only parts of clusters.
  const clusters = ['m1', 'unusable', 'pulled', 'unknown'].map(name => cluster(name));
  const replicas = async (more: Partial<typeof ask> = {}): Promise<[string, number][]> => [
    ...(await estimator.maxAvailableReplicas({ ...ask, ...more }, clusters, signal)),
  ];
  t.same(await replicas(), [['m1', 2]], 'eight CPUs are free, and each node takes one replica');
  const expected = [
    ['m1', 'u'],
    ['unusable', 'v'],
  ];
  t.same(connected, expected, 'whole clusters are connected, and none in pull mode');
  m1.mirrors.pods.set(pod('p', 'a'));
  t.same(await replicas(), [['m1', 1]]);
  m1.mirrors.pods.remove('ns/p');
  t.same(await replicas(), [['m1', 2]]);
  const requirements = { namespace: 'ns', resourceRequest: { cpu: 'x' } };
  t.same(await replicas({ requirements }), [], 'a malformed quantity has no estimate');
  const components = [{ name: 'c', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } } }];
  t.same([...(await estimator.maxAvailableComponentSets({ ...ask, components }, clusters, signal))], [['m1', 4]]);
});

t.test('mirrors that do not get their first lists are waited for once', async t => {
  const alive = setInterval(() => undefined, 1_000); // the timeout of a question does not keep a process alive
  t.teardown(() => clearInterval(alive));
  const late = { ...member({ pods: new SetMirror({ hasSynced: false }) }) };
  const estimator = estimatorOf(t, () => Promise.resolve(late), plane(cluster('m1')), { timeoutMs: 100 });
  const replicas = (): Promise<EstimateTable> => estimator.maxAvailableReplicas(ask, [cluster('m1')], signal);
  t.equal((await replicas()).size, 0);
  t.equal((await replicas()).size, 0);
});

t.test('mirrors end with their cluster, with a new connection, and when nothing has asked for some time', async t => {
  const clock = steppedClock();
  const m1 = cluster('m1');
  const clusters = plane(m1);
  let present = member();
  const estimator = estimatorOf(t, () => Promise.resolve(present), clusters, { clock });
  const replicas = async (): Promise<number | undefined> =>
    (await estimator.maxAvailableReplicas(ask, [m1], signal)).get('m1');
  const followers = ({ mirrors }: typeof present): number => mirrors.nodes.followers + mirrors.pods.followers;
  t.equal(await replicas(), 2);
  t.equal(followers(present), 2);
  const before = present;
  present = member();
  t.equal(await replicas(), 2);
  t.same([followers(before), followers(present)], [0, 2], 'another connection');
  for (let minute = 0; minute <= 10; minute++) {
    t.equal(followers(present), 2, `after ${minute} minutes`);
    clock.advance(60_000);
    await new Promise(setImmediate);
  }
  await until('idle mirrors have ended', () => {
    clock.advance(60_000);
    return followers(present) === 0;
  });
  t.equal(await replicas(), 2);
  clusters.remove('m1');
  t.equal(followers(present), 0, 'the cluster has left');
});

t.test('unschedulable replicas are counted by mirrors', async t => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: {} };
  const owned = (kind: string, name: string, by: string, rest: object): KubeObject => ({
    ...{ apiVersion: 'v1', kind, ...rest },
    metadata: {
      ...{ namespace: 'ns', name, uid: name, labels },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'x', name: by, uid: by, controller: true }],
    },
  });
  const [deployments, replicasets] = [new SetMirror(), new SetMirror()];
  const metadata = { namespace: 'ns', name: 'web', uid: 'd' };
  const spec = { selector: { matchLabels: labels }, template };
  deployments.set({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
  replicasets.set(owned('ReplicaSet', 'rs', 'd', { spec: { template } }));
  const m1 = member({ deployments, replicasets });
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  const status = { conditions: [{ ...condition, lastTransitionTime: '2020-01-01T00:00:00Z' }] };
  m1.mirrors.pods.set(owned('Pod', 'waiting', 'rs', { status }), pod('other', 'a'));
  const estimator = estimatorOf(t, () => Promise.resolve(m1), plane(cluster('m1')));
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };
  t.equal(await estimator.unschedulableReplicas('m1', web, 60_000, signal), 1);
  t.equal(await estimator.unschedulableReplicas('m1', { ...web, name: 'none' }, 60_000, signal), undefined);
  t.equal(await estimator.unschedulableReplicas('unknown', web, 60_000, signal), undefined);
});

t.test('clusters with an estimator of their own are asked there', async t => {
  const answering = (count: number) => {
    const asked: (readonly string[])[] = [];
    const answer = (clusters: readonly Cluster[]): Promise<EstimateTable> => {
      asked.push(clusters.map(({ metadata }) => metadata.name ?? ''));
      return Promise.resolve(new Map(clusters.map(({ metadata }) => [metadata.name ?? '', count])));
    };
    const estimator: AccurateEstimator = {
      maxAvailableReplicas: (_, clusters) => answer(clusters),
      maxAvailableComponentSets: (_, clusters) => answer(clusters),
      unschedulableReplicas: name => answer([cluster(name)]).then(table => table.get(name)),
    };
    return { estimator, asked };
  };
  const [first, rest] = [answering(1), answering(2)];
  const has = (name: string): boolean => name === 'm1';
  const routed = new RoutedEstimator({ ...first.estimator, has, ready: Promise.resolve() }, rest.estimator);
  const [m1, m2] = [cluster('m1'), cluster('m2')];
  t.same(
    [...(await routed.maxAvailableReplicas(ask, [m1, m2], signal))],
    [
      ['m1', 1],
      ['m2', 2],
    ],
  );
  t.same([...(await routed.maxAvailableComponentSets({ ...ask, components: [] }, [m2], signal))], [['m2', 2]]);
  t.same([...(await routed.maxAvailableReplicas(ask, [m1], signal))], [['m1', 1]]);
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };
  t.equal(await routed.unschedulableReplicas('m1', web, 0, signal), 1);
  t.equal(await routed.unschedulableReplicas('m2', web, 0, signal), 2);
  t.same(
    [first.asked, rest.asked],
    [
      [['m1'], ['m1'], ['m1']],
      [['m2'], ['m2'], ['m2']],
    ],
  );
});
