/** What is found through classes of bindings is what would be found by looking at each binding. */
import t from 'tap';
import { bindingsOf, clustersOf } from '../../../../bench/scheduling-world.js';
import type { Binding, Cluster, Toleration } from '../../../../api/karmada/types.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { BindingClasses, places } from '../../../../scheduler/loop/wake-ups/binding-classes.js';
import {
  type ClusterHistory,
  concerns,
  offersKind,
  concernInputOf,
} from '../../../../scheduler/loop/wake-ups/concern.js';
import { plugins } from '../../../../scheduler/plugins/plugins.js';
import { random } from '../../../random.js';

const timed = { lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'x', message: '' };

/** Tolerations that make a placement longer than what is written before a binding is looked at. */
const longTolerations: readonly (readonly Toleration[])[] = ['a', 'b'].map(key =>
  Array.from({ length: 600 }, (_, i) => ({ key: `${key}-${i}`, operator: 'Exists' })),
);

/** Returns a generation of a binding, with former targets, evictions and decisions. */
function lived(binding: Binding, generation: number, { below, chance, pick }: ReturnType<typeof random>): Binding {
  const name = (): string => `member-${below(12)}`;
  const count = pick([0, 0, 1, 3, 11]);
  const { replicas: _, ...config } = binding.spec;
  const spec = chance(0.2) ? { ...config } : { ...binding.spec };
  if (chance(0.2)) delete spec.replicaRequirements;
  if (count > 0) spec.clusters = Array.from({ length: count }, () => ({ name: name() }));
  if (chance(0.2)) spec.gracefulEvictionTasks = [{ fromCluster: name(), reason: '', producer: '' }];
  if (chance(0.1)) spec.placement = { ...spec.placement, clusterTolerations: [{ operator: 'Exists' }] };
  if (chance(0.1)) spec.placement = { ...spec.placement, clusterTolerations: [...pick(longTolerations)] };
  const isPlaced = chance(0.7);
  return {
    ...binding,
    metadata: { ...binding.metadata, generation },
    spec,
    status: {
      conditions: [{ type: 'Scheduled', status: isPlaced ? 'True' : 'False', ...timed }],
      schedulerObservedGeneration: chance(0.9) ? generation : generation - 1,
      ...(chance(0.5) && { schedulerObservingAffinityName: pick(['gold', 'any', 'gone']) }),
    },
  };
}

/** Returns how a cluster has changed. */
function historyOf(cluster: Cluster, { below, pick }: ReturnType<typeof random>): ClusterHistory {
  const changes: readonly ((cluster: Cluster) => Cluster)[] = [
    each => ({ ...each, spec: { ...each.spec, taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
    each => ({ ...each, spec: { ...each.spec, taints: [] } }),
    each => ({ ...each, spec: { ...each.spec, region: `region-${below(3)}` } }),
    each => ({ ...each, spec: { ...each.spec, resourceModels: [{ grade: below(3), ranges: [] }] } }),
    each => ({ ...each, metadata: { ...each.metadata, labels: { env: pick(['prod', 'test']), tier: 'gold' } } }),
    each => ({ ...each, metadata: { ...each.metadata, deletionTimestamp: timed.lastTransitionTime } }),
    each => ({ ...each, status: { apiEnablements: [{ groupVersion: 'v1', resources: [] }] } }),
    () => cluster,
  ];
  const states = [cluster];
  for (let i = 1 + below(3); i > 0; i--) states.push(pick(changes)(states.at(-1) as Cluster));
  return { states: below(2) ? states : states.reverse() };
}

for (const seed of [1, 2, 3, 4, 5, 6])
  t.test(`seed ${seed}: a class in its places decides as each of its members`, t => {
    const numbers = random(seed);
    const classes = new BindingClasses(() => true);
    const bindings = new Map(
      bindingsOf(400, seed).map(each => [`default/${each.metadata.name}`, lived(each, 1, numbers)]),
    );
    for (const [key, each] of bindings) classes.set(key, each);
    // Some have another life.
    for (const [key, each] of bindings)
      if (numbers.chance(0.3)) {
        const next = lived(each, 2, numbers);
        bindings.set(key, next);
        classes.set(key, next);
      }
    const long = [...classes.alone];
    for (const key of long) classes.settle(key, bindings.get(key) as Binding);
    t.ok(long.length > 20 && classes.alone.size === 0, `${long.length} are of a class since they were looked at`);
    const faults: string[] = [];
    const seen = { concerned: 0, offered: 0 };
    for (const cluster of clustersOf(12, seed)) {
      const history = historyOf(cluster, numbers);
      const name = cluster.metadata.name ?? '';
      for (const [key, each] of bindings) {
        const group = classes.groupOf(key);
        const place = places[group?.placeIn(name) ?? 0];
        if (!group || !place) {
          faults.push(`${key} is of no class`);
          continue;
        }
        const judge = (input: ReturnType<typeof concernInputOf>): string => {
          const isConcerned = atOnce(concerns(history, input, plugins));
          const isOffered = atOnce(offersKind(history, input, plugins));
          seen.concerned += Number(isConcerned);
          seen.offered += Number(isOffered);
          return `${isConcerned} ${isOffered}`;
        };
        const [got, want] = [judge(group.of.inputIn(name, place)), judge(concernInputOf(each))];
        if (got !== want) faults.push(`${key}, ${name}: ${got} instead of ${want}`);
      }
    }
    t.same(faults, []);
    t.ok(seen.concerned > 100 && seen.offered > 10, `${JSON.stringify(seen)}: all answers are met`);
    const members = [...classes.classes].flatMap(of => [...of.groups.values()].flatMap(group => [...group.members]));
    t.same(members.sort(), [...bindings.keys()].sort(), 'each is a member of one group');
    t.end();
  });

t.test('a change of the status alone moves a binding only if it has been placed, or not', t => {
  const classes = new BindingClasses(() => true);
  const [given] = bindingsOf(1);
  if (!given) throw new Error('there is no binding');
  const moves = classes.collectMoves();
  const conditions = [{ type: 'Scheduled', status: 'True' as const, ...timed }];
  const placed = { ...given, status: { conditions, schedulerObservedGeneration: 1 } };
  const key = 'default/b';
  const set = (binding: Binding): readonly string[] => {
    const before = classes.groupOf(key);
    classes.set(key, binding);
    return [classes.groupOf(key) === before ? 'stays' : 'moves', `${[...moves].length}`];
  };
  t.same(set(given), ['moves', '1']);
  t.same(set({ ...given, status: { aggregatedStatus: [] } }), ['stays', '1']);
  t.same(set(placed), ['moves', '1']);
  t.same(set({ ...placed, status: { ...placed.status, aggregatedStatus: [] } }), ['stays', '1']);
  t.equal([...classes.classes].length, 1);
  classes.endMoves();
  classes.set(key, {
    ...given,
    metadata: { ...given.metadata, uid: 'another' },
    spec: { ...given.spec, placement: {} },
  });
  t.equal(classes.groupOf(key)?.of.isPlaced, false, 'one of another uid has nothing in common with it');
  t.equal([...moves].length, 1, 'moves are collected no longer');
  t.end();
});

/** Returns a generation of a binding that names so many clusters, and has so many targets. */
function naming(name: string, names: number, targets = 0, prefix = 'm'): Binding {
  const [given] = bindingsOf(1);
  if (!given) throw new Error('there is no binding');
  const range = (count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  return {
    ...given,
    metadata: { ...given.metadata, name, generation: names + targets },
    spec: {
      ...given.spec,
      placement: { clusterAffinity: { clusterNames: range(names) } },
      clusters: range(targets).map(each => ({ name: each })),
    },
  };
}

t.test('a binding in very many clusters is of a class once it is looked at', t => {
  const classes = new BindingClasses(() => true);
  const key = 'default/b';
  const set = (targets: number): Binding => {
    const binding = naming('b', 1, targets);
    classes.set(key, binding);
    return binding;
  };
  set(5000);
  t.equal(classes.groupOf(key)?.placeIn('m4999'), 1);
  const many = set(5001);
  t.same([[...classes.alone], [...classes.classes]], [[key], []]);
  const moves = classes.collectMoves();
  t.equal(classes.settle(key, many)?.placeIn('m5000'), 1);
  t.equal(classes.settle(key, many), classes.groupOf(key), 'it stays there');
  t.same([[...classes.alone], [...moves]], [[], [key]]);
  set(1);
  t.same([...classes.alone], []);
  classes.set(key, undefined);
  t.same([...classes.classes], []);
  t.equal(classes.settle(key, many), undefined, 'it is not known any more');
  t.end();
});

t.test('bindings with one long placement share it, and different ones take a limited amount of text', t => {
  const classes = new BindingClasses(() => true, { maxHeldText: 100_000 });
  const known = new Map<string, Binding>();
  /** Returns whether a binding is of a class once it is looked at. */
  const settles = (name: string, prefix: string, targets = 0): boolean => {
    const binding = naming(name, 4000, targets, prefix);
    known.set(name, binding);
    classes.set(name, binding);
    t.ok(classes.alone.has(name), name);
    return classes.settle(name, binding) !== undefined;
  };
  for (let i = 0; i < 50; i++) t.ok(settles(`a${i}`, 'a'), 'they share a text of about 32,000 characters');
  t.equal([...classes.classes].length, 1);
  t.ok(settles('b', 'b'));
  t.notOk(settles('c', 'c', 6000), 'its names would take as much again');
  t.ok(settles('d', 'd'));
  t.notOk(settles('e', 'e'));
  t.same([...classes.alone], ['c', 'e'], 'they are looked at alone');
  for (let i = 0; i < 50; i++) classes.set(`a${i}`, undefined);
  t.ok(classes.settle('e', known.get('e') as Binding), 'there is room again');
  for (const name of ['b', 'c', 'd', 'e']) classes.set(name, undefined);
  t.same([[...classes.classes], [...classes.alone]], [[], []]);
  for (const name of ['x', 'y', 'z']) t.ok(settles(name, name), 'what was held is free again');
  t.end();
});
