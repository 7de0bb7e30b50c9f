/** Which bindings are scheduled again when clusters change, and what it costs to find them. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster, Placement, Taint } from '../../../../api/karmada/types.js';
import { labels, resources } from '../../../../api/karmada/well-known.js';
import { scheduler } from '../../../../cli/parts/scheduler.js';
import { keyOf } from '../../../../client/key.js';
import type { Informer, ObjectChange } from '../../../../client/runtime/interface.js';
import { featureGates } from '../../../../kinds/karmada/feature-gates.js';
import { ClusterChanges } from '../../../../scheduler/loop/wake-ups/cluster-changes.js';
import { BindingClasses } from '../../../../scheduler/loop/wake-ups/binding-classes.js';
import { concerns, offersKind, concernInputOf } from '../../../../scheduler/loop/wake-ups/concern.js';
import { plugins } from '../../../../scheduler/plugins/plugins.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { object } from '../../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../../apiserver/running.js';
import { until } from '../../../storage/until.js';
import { turnsDuring } from '../../../turns.js';
import { binding, cluster } from '../../objects.js';

const noSchedule = { key: 'k', effect: 'NoSchedule' } as const;
const plain = cluster('m1', {}, { generation: 1 });
const tainted = cluster('m1', { taints: [noSchedule] }, { generation: 2 });
const labelled = cluster('m1', {}, { generation: 1, labels: { tier: 'gold' } });
const inRegion = (region: string): Cluster => cluster('m1', { region }, { generation: 2 });
const modelled = cluster('m1', { resourceModels: [{ grade: 0, ranges: [] }] }, { generation: 2 });
const terminating = cluster('m1', {}, { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' });
const without = (status: Cluster['status']): Cluster => ({ ...plain, ...(status && { status }) });

const divided: Placement = {
  replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
};
const tolerant: Placement = { clusterTolerations: [{ operator: 'Exists' }] };
const scheduled = (status: 'True' | 'False') => ({
  conditions: [{ type: 'Scheduled', status, reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  ...(status === 'True' && { schedulerObservedGeneration: 1 }),
});

interface Row {
  readonly name: string;
  readonly states: readonly Cluster[];
  readonly placement?: Placement;
  readonly spec?: Partial<BindingSpec>;
  readonly isPlaced?: boolean;
  readonly expect: boolean;
}

const rows: readonly Row[] = [
  { name: 'a taint that keeps it away', states: [plain, tainted], expect: true },
  { name: 'a taint that is gone', states: [tainted, plain], expect: true },
  { name: 'a taint that came and went', states: [plain, tainted, plain], expect: true },
  { name: 'a taint that it tolerates', states: [plain, tainted], placement: tolerant, expect: false },
  { name: 'a taint of its target', states: [plain, tainted], spec: { clusters: [{ name: 'm1' }] }, expect: false },
  {
    name: 'a tolerated taint, while it is not placed',
    ...{ states: [plain, tainted], placement: tolerant, isPlaced: false, expect: false },
  },
  { name: 'a taint that is gone, while it is not placed', states: [tainted, plain], isPlaced: false, expect: true },
  {
    name: 'a label that nothing asks for, while it is not placed',
    states: [plain, labelled],
    isPlaced: false,
    expect: false,
  },
  { name: 'other resource models, while it is not placed', states: [plain, modelled], isPlaced: false, expect: true },
  { name: 'other resource models', states: [plain, modelled], expect: false },
  {
    name: 'a cluster that its affinity does not select',
    ...{ states: [plain, tainted], placement: { clusterAffinity: { clusterNames: ['m2'] } }, expect: false },
  },
  {
    name: 'a label that its affinity asks for',
    states: [plain, labelled],
    placement: { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } },
    expect: true,
  },
  { name: 'a label that nothing asks for', states: [plain, labelled], expect: false },
  { name: 'a region that nothing asks for', states: [inRegion('a'), inRegion('b')], expect: false },
  {
    name: 'a region that it is spread by',
    states: [inRegion('a'), inRegion('b')],
    placement: { spreadConstraints: [{ spreadByField: 'region' }, { spreadByField: 'cluster' }] },
    expect: true,
  },
  {
    name: 'another tier of its term',
    states: [labelled, plain],
    placement: {
      clusterAffinities: [
        {
          affinityName: 'a',
          labelSelector: { matchLabels: { tier: 'gold' } },
          overflowAffinities: [{ affinityName: 'o', clusterNames: ['m1'] }],
        },
      ],
    },
    spec: { replicas: 1 },
    expect: true,
  },
  { name: 'a cluster that it could use is deleted', states: [plain, terminating], expect: true },
  { name: 'divided replicas stay', states: [plain, tainted], placement: divided, spec: { replicas: 2 }, expect: false },
  {
    name: 'divided replicas leave a cluster that is deleted',
    states: [plain, terminating],
    ...{ placement: divided, spec: { replicas: 2, clusters: [{ name: 'm1', replicas: 2 }] }, expect: true },
  },
  {
    name: 'divided replicas do not care for other clusters that are deleted',
    states: [plain, terminating],
    ...{ placement: divided, spec: { replicas: 2, clusters: [{ name: 'm2', replicas: 2 }] }, expect: false },
  },
  { name: 'its kind is served', states: [without({}), plain], expect: true },
  {
    name: 'its kind is served, while it waits',
    states: [without({}), plain],
    ...{ isPlaced: false, expect: true },
  },
  {
    name: 'other kinds are served, while it waits',
    states: [without({}), without({ apiEnablements: [] })],
    ...{ isPlaced: false, expect: false },
  },
];

t.test('a binding is concerned if the change may change its decision', t => {
  for (const { name, states, placement = {}, spec, isPlaced = true, expect } of rows) {
    const observed = placement.clusterAffinities ? { schedulerObservingAffinityName: 'a' } : {};
    const status = { ...scheduled(isPlaced ? 'True' : 'False'), ...observed };
    const given = binding({ ...spec, placement }, status, { generation: 1 });
    t.equal(atOnce(concerns({ states }, concernInputOf(given), plugins)), expect, name);
  }
  t.end();
});

t.test('a binding that is not placed waits for the clusters of every term', t => {
  const clusterAffinities = ['m2', 'm1'].map(name => ({ affinityName: name, clusterNames: [name] }));
  const observed = { schedulerObservedGeneration: 1, schedulerObservingAffinityName: 'm2' };
  const concernsEach = (states: readonly Cluster[]): boolean[] =>
    [{ ...scheduled('True'), ...observed }, { ...scheduled('False'), ...observed }, {}].map(status => {
      const given = binding({ placement: { clusterAffinities } }, status, { generation: 1 });
      return atOnce(concerns({ states }, concernInputOf(given), plugins));
    });
  t.same(concernsEach([tainted, plain]), [false, true, true], 'taints');
  t.same(concernsEach([without({}), plain]), [false, true, true], 'kinds');
  const others = [cluster('m3'), cluster('m3', { taints: [noSchedule] })];
  t.same(concernsEach(others), [false, false, false], 'a cluster of no term');
  t.end();
});

/** A mirror that parses a binding whenever it is read, and counts that. */
class CountingMirror implements Pick<Informer<Binding>, 'cached' | 'get' | 'onLaterChange'> {
  readonly cached = new Map<string, { readonly revision: number; readonly object: Binding }>();
  readonly #texts = new Map<string, string>();
  readonly #listeners: ((change: ObjectChange<Binding>) => void)[] = [];
  parses = 0;

  constructor(bindings: readonly Binding[]) {
    for (const each of bindings) this.#put(each);
  }

  readonly get = (key: string): Binding | undefined => {
    const text = this.#texts.get(key);
    if (text === undefined) return undefined;
    this.parses++;
    return JSON.parse(text) as Binding;
  };

  onLaterChange(listener: (change: ObjectChange<Binding>) => void): () => void {
    this.#listeners.push(listener);
    return () => undefined;
  }

  /** A binding has changed. Listeners have it parsed. */
  set(changed: Binding): void {
    this.#tell(this.#put(changed), changed);
  }

  remove(key: string): void {
    this.cached.delete(key);
    this.#texts.delete(key);
    this.#tell(key, undefined);
  }

  #put(given: Binding): string {
    const key = keyOf(given);
    this.#texts.set(key, JSON.stringify(given));
    this.cached.set(key, { revision: 1, object: given });
    return key;
  }

  #tell(key: string, changed: Binding | undefined): void {
    for (const listener of this.#listeners)
      listener({ key, old: undefined, new: changed, oldCached: undefined, newCached: this.cached.get(key) });
  }
}

interface Given {
  readonly bindings: readonly Binding[];
  /** Was placed a moment ago. */
  readonly isNew?: (key: string) => boolean;
  readonly onFound?: (name: string | undefined) => void;
}

/** Returns what finds bindings, once the bindings are known. */
async function changesOf({ bindings, isNew = () => false, onFound }: Given) {
  const mirror = new CountingMirror(bindings);
  const found: (string | undefined)[] = [];
  const counts = { judged: 0 };
  const stop = new AbortController();
  const classes = new BindingClasses(({ metadata }) => !metadata.name?.startsWith('other-'));
  const loaded = classes.follow(mirror);
  const changes = new ClusterChanges({
    ...{ classes, loaded, read: mirror.get, wasJustPlaced: isNew },
    concerns(history, input) {
      counts.judged++;
      return concerns(history, input, plugins);
    },
    offersKind: (history, input) => offersKind(history, input, plugins),
    found({ metadata: { name } }, isOvertaken) {
      found.push(`${name}${isOvertaken ? ' (overtaken)' : ''}`);
      onFound?.(name);
    },
    signal: stop.signal,
  });
  await loaded;
  mirror.parses = 0;
  const walked = (): Promise<void> => until('the walk is done', () => !changes.isWalking);
  return { changes, classes, found, mirror, counts, stop, walked };
}

const bindings = (count: number, placement: Placement, prefix = placement === tolerant ? 't' : 'p'): Binding[] =>
  Array.from({ length: count }, (_, i) =>
    binding({ placement }, scheduled('True'), { name: `${prefix}${i}`, generation: 1 }),
  );

t.test('only bindings that are found are parsed, and each class is judged once', async t => {
  const elsewhere = { clusterAffinity: { clusterNames: ['m2'] } };
  const { changes, found, mirror, counts, walked } = await changesOf({
    bindings: [...bindings(3, {}), ...bindings(500, tolerant), ...bindings(500, elsewhere, 'e')],
  });
  changes.changed(plain, tainted);
  await walked();
  t.same(found, ['p0', 'p1', 'p2']);
  t.equal(mirror.parses, 3, 'parses');
  t.equal(counts.judged, 3, 'three classes, in the place that their members have');
});

t.test('all changes until a walk share it', async t => {
  const { changes, found, mirror, walked } = await changesOf({
    bindings: [...bindings(3, {}), ...bindings(3, tolerant)],
  });
  changes.changed(plain, tainted);
  changes.changed(tainted, plain);
  for (const name of ['m2', 'm3', 'm4'])
    changes.changed(cluster(name, {}, { generation: 1 }), cluster(name, { taints: [noSchedule] }));
  await walked();
  t.same(found, ['p0', 'p1', 'p2']);
  t.equal(mirror.parses, 3);
  changes.changed(plain, tainted);
  await walked();
  t.equal(found.length, 6, 'another walk finds them again');
});

t.test('a cluster that flaps leaves a bounded history', async t => {
  const { changes, found, walked } = await changesOf({ bindings: bindings(2, {}) });
  changes.changed(plain, tainted);
  for (let i = 0; i < 1000; i++) changes.changed(i % 2 ? plain : tainted, i % 2 ? tainted : plain);
  await walked();
  t.same(found, ['p0', 'p1']);
});

t.test('what neither labels, spec nor kinds change walks nowhere', async t => {
  const { changes, counts, walked } = await changesOf({ bindings: bindings(1, {}) });
  changes.changed(plain, { ...plain, status: { ...plain.status, conditions: [] } });
  t.notOk(changes.isWalking);
  changes.changed(plain, labelled);
  await walked();
  t.equal(counts.judged, 1);
});

t.test('a class is judged in the places that its members have, or in all of them if it has many groups', async t => {
  const targeting = (count: number): Binding[] =>
    Array.from({ length: count }, (_, i) =>
      binding({ placement: {}, clusters: [{ name: `m${i}` }] }, scheduled('True'), { name: `b${i}`, generation: 1 }),
    );
  for (const [count, judged] of [
    [1, 1],
    [5, 2],
    [9, 4],
  ] as const) {
    const { changes, counts, found, walked } = await changesOf({ bindings: targeting(count) });
    changes.changed(plain, tainted);
    await walked();
    t.equal(counts.judged, judged, `${count} groups`);
    t.equal(found.length, count - (count > 1 ? 1 : 0), 'all but the one that is there');
  }
});

t.test('a binding that joins a class that was judged in other places is not missed', async t => {
  const at = (name: string, target: string | undefined, placement: Placement = {}): Binding =>
    binding({ placement, ...(target !== undefined && { clusters: [{ name: target }] }) }, scheduled('True'), {
      ...{ name, uid: name, generation: target === undefined ? 2 : 1 },
    });
  const onM1: Placement = { clusterAffinity: { clusterNames: ['m1'] } };
  const { changes, found, mirror, walked } = await changesOf({
    bindings: [at('a', 'm1'), at('x', 'm2', onM1)],
    // The class of `a` was judged for members in m1. Another one joins that is elsewhere.
    onFound(name) {
      if (name === 'x') mirror.set(at('b', 'm2'));
    },
  });
  changes.changed(plain, tainted);
  await walked();
  t.same(found, ['x', 'b']);
});

t.test('a walk ends with the scheduler', async t => {
  const { changes, found, stop, walked } = await changesOf({ bindings: bindings(1, {}) });
  stop.abort();
  changes.changed(plain, tainted);
  await walked();
  t.same(found, []);
});

t.test('the index follows the bindings', async t => {
  const { changes, classes, found, mirror, walked } = await changesOf({ bindings: [] });
  const named = (name: string, spec: Partial<BindingSpec>, generation = 1): Binding =>
    binding(spec, scheduled('True'), { name, generation, uid: `uid-${name}` });
  mirror.set(named('a', { placement: {} }));
  mirror.set(named('b', { placement: {}, clusters: [{ name: 'm1' }] }));
  mirror.set(named('c', { placement: {}, gracefulEvictionTasks: [{ fromCluster: 'm1', reason: '', producer: '' }] }));
  mirror.set(named('other-scheduler', { placement: {} }));
  t.equal([...classes.classes].length, 1, 'one class');
  const find = async (): Promise<(string | undefined)[]> => {
    changes.changed(plain, tainted);
    await walked();
    return found.splice(0);
  };
  t.same(await find(), ['a'], 'a target and a cluster that it leaves are not concerned');
  mirror.set(named('b', { placement: {} }, 2));
  t.same(await find(), ['a', 'b'], 'b has left the cluster, and has not been decided about since');
  mirror.set(named('a', { placement: tolerant }, 2));
  mirror.remove('n/c');
  t.same(await find(), ['b'], 'a tolerates the taint, c is gone');
  mirror.remove('n/a');
  mirror.remove('n/b');
  t.equal([...classes.classes].length, 0, 'nothing remains of classes without members');
});

t.test('a binding with a long placement is read by the first walk, and then of a class', async t => {
  const clusterNames = Array.from({ length: 5000 }, (_, i) => `m${i}`);
  const long = bindings(2, { clusterAffinity: { clusterNames } }, 'long');
  const { changes, classes, found, mirror, walked } = await changesOf({
    bindings: [...long, ...bindings(2, tolerant)],
    isNew: key => key === 'n/long1',
  });
  t.same([...classes.alone], ['n/long0', 'n/long1']);
  changes.changed(plain, tainted);
  await walked();
  t.same(found.splice(0), ['long0', 'long1']);
  t.equal(mirror.parses, 2 * 2, 'each is read, and found');
  t.same([...classes.alone], []);
  mirror.parses = 0;
  changes.changed(plain, tainted);
  await walked();
  t.same(found.splice(0), ['long0', 'long1']);
  t.equal(mirror.parses, 2, 'only what is found is read again');
  mirror.set(binding({ placement: tolerant }, scheduled('True'), { name: 'long0', generation: 2 }));
  t.not(classes.groupOf('n/long0'), classes.groupOf('n/long1'), 'long0 has another placement');
  const { length } = [...classes.classes];
  mirror.remove('n/long1');
  t.equal([...classes.classes].length, length - 1, 'nothing remains of the long placement');
  t.same([...classes.alone], []);
  changes.changed(plain, tainted);
  await walked();
  t.same(found, []);
});

t.test('a binding that was placed a moment ago is overtaken by a cluster that begins to serve its kind', async t => {
  const spec: Partial<BindingSpec> = { placement: divided, replicas: 2, clusters: [{ name: 'm2', replicas: 2 }] };
  const of = (name: string): Binding => binding(spec, scheduled('True'), { name, generation: 1 });
  const { changes, found, mirror, walked } = await changesOf({
    bindings: ['new', 'old'].map(of),
    isNew: key => key === 'n/new',
  });
  const otherKinds = { apiEnablements: [{ groupVersion: 'v1', resources: [{ name: 'pods', kind: 'Pod' }] }] };
  changes.changed(without(otherKinds), plain);
  await walked();
  t.same(found, ['new (overtaken)']);
  t.equal(mirror.parses, 1);
});

t.test('a binding that changes its class during a walk is not missed', async t => {
  const waiting = (isWaiting: boolean): Binding =>
    binding({ placement: {} }, scheduled(isWaiting ? 'False' : 'True'), { name: 'w', generation: 1 });
  const onM1: Placement = { clusterAffinity: { clusterNames: ['m1'] } };
  const { changes, found, mirror, walked } = await changesOf({
    bindings: [...bindings(1, {}), ...bindings(1, onM1, 'x'), waiting(true)],
    onFound(name) {
      // The turn of the class that it joins is over, and that of the one that it leaves is to come.
      if (name === 'x0') mirror.set(waiting(false));
    },
  });
  changes.changed(tainted, plain);
  await walked();
  t.ok(found.includes('w'));
  t.equal(new Set(found).size, found.length, 'each is found at most once');
});

/** Returns the sum of a metric over all labels that contain a text. */
async function sumOf({ metrics }: TestServer, name: string, label = ''): Promise<number> {
  const lines = (await metrics.metrics())
    .split('\n')
    .filter(line => line.startsWith(`${name}{`) && line.includes(label));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

t.test('a cluster that flaps causes decisions only about bindings whose feasibility on it changes', async t => {
  const gates = featureGates({ PriorityBasedScheduling: true });
  const server = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  const { client } = server;
  const taint = (taints: readonly Taint[]) =>
    client.patch(resources.clusters, { name: 'm1' }, { type: 'merge', patch: { spec: { taints: [...taints] } } });
  const label = (key: string) =>
    client.patch(
      resources.clusters,
      { name: 'm1' },
      { type: 'merge', patch: { metadata: { labels: { [key]: 'x' } } } },
    );
  for (const name of ['m1', 'm2']) {
    const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com` };
    await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
    const status = { ...plain.status, resourceSummary: { allocatable: { cpu: '8', pods: '100' } } };
    await client.patch(resources.clusters, { name }, { type: 'merge', patch: { status } }, { subresource: 'status' });
  }
  await taint([noSchedule]);
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default' };
  const place = (name: string, spec: Partial<BindingSpec>) =>
    client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
        spec: { resource: { ...resource, name }, ...spec },
      }),
    );
  const ofLabel = (key: string): Placement => ({ clusterAffinity: { labelSelector: { matchLabels: { [key]: 'x' } } } });
  const large = { replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1000' } } };
  for (let i = 0; i < 5; i++) {
    await place(`plain-${i}`, { placement: {} });
    await place(`tolerant-${i}`, { placement: tolerant });
    await place(`elsewhere-${i}`, { placement: { clusterAffinity: { clusterNames: ['m2'] } } });
    await place(`divided-${i}`, { placement: { ...divided, ...tolerant }, replicas: 2 });
    await place(`waiting-${i}`, { placement: { ...divided, ...tolerant }, ...large });
  }
  for (const key of ['first', 'second']) await place(key, { placement: ofLabel(key) });
  const bindings = async (): Promise<readonly Binding[]> =>
    (await client.list(resources.resourceBindings, { namespace: 'default' })).items as Binding[];
  const isOnM1 = ({ spec }: Binding): boolean => spec.clusters?.some(({ name }) => name === 'm1') ?? false;
  const onM1 = (prefix: string): Promise<void> =>
    until(`${prefix} on m1`, async () =>
      (await bindings()).every(each => !each.metadata.name?.startsWith(prefix) || isOnM1(each)),
    );
  await until('all are decided', async () =>
    (await bindings()).every(({ status }) => (status?.conditions ?? []).some(({ type }) => type === 'Scheduled')),
  );
  t.notOk((await bindings()).some(each => each.metadata.name?.startsWith('plain') && isOnM1(each)));
  const queued = (): Promise<number> =>
    sumOf(server, 'karmada_scheduler_queue_incoming_bindings_total', 'ClusterChanged');
  /** The number of decisions that have found no room. */
  const refused = (): Promise<number> => sumOf(server, 'karmada_scheduler_schedule_attempts_total', 'result="error"');
  await until('what does not fit is counted', async () => (await refused()) >= 5);
  const before = [await queued(), await refused()] as const;
  await taint([]);
  await onM1('plain');
  for (let i = 0; i < 10; i++) await taint(i % 2 ? [] : [noSchedule]);
  // A walk for the second label begins after the one for the first label has ended.
  for (const key of ['first', 'second']) {
    await label(key);
    await onM1(key);
  }
  t.equal((await queued()) - before[0], 7, 'five bindings that the taint keeps away, and two for the labels');
  t.equal((await refused()) - before[1], 0, 'those that wait are not decided again');
});

t.test('ten thousand bindings do not hold the event loop', async t => {
  const count = 10_000;
  const { changes, found, walked } = await changesOf({
    bindings: [...bindings(count / 2, {}), ...bindings(count / 2, tolerant)],
  });
  let walks = 0;
  const turns = await turnsDuring(50, async () => {
    walks++;
    changes.changed(plain, tainted);
    await walked();
  });
  t.equal(found.length, (walks * count) / 2);
  t.ok(turns.count > 3, `${turns.count} turns`);
  t.ok(turns.longest < 50, `the longest turn took ${turns.longest.toFixed(0)} ms`);
});
