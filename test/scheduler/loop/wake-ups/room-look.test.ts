/** One look at all clusters finds room for the same bindings as a look at each binding by itself. */
import t from 'tap';
import { bindingsOf, clustersOf } from '../../../../bench/scheduling-world.js';
import type { Binding, Cluster } from '../../../../api/karmada/types.js';
import { keyOf } from '../../../../client/key.js';
import { estimateReplicas, generalEstimator } from '../../../../scheduler/estimate/general.js';
import { BindingClasses } from '../../../../scheduler/loop/wake-ups/binding-classes.js';
import { roomChecker } from '../../../../scheduler/loop/wake-ups/help.js';
import {
  type RoomChange,
  type RoomInput,
  RoomLook,
  type RoomNeeds,
} from '../../../../scheduler/loop/wake-ups/room-look.js';
import { plugins } from '../../../../scheduler/plugins/plugins.js';
import { random, type Random } from '../../../random.js';
import { binding } from '../../objects.js';

/** Returns how many replicas fit. */
const generalRoom = ({ spec }: RoomInput, cluster: Cluster): number =>
  estimateReplicas(cluster, spec.replicaRequirements);

const check = roomChecker(plugins, [generalEstimator]);

/** Returns the binding with targets, and with clusters that it leaves. */
function placed(of: Binding, clusters: readonly Cluster[], { below, chance, pick }: Random): Binding {
  const names = clusters.map(({ metadata }) => metadata.name ?? '');
  const targets = Array.from({ length: below(12) }, () => ({ name: pick(names), replicas: 1 + below(3) }));
  const leaving = chance(0.3) ? [{ fromCluster: pick(names), reason: '', producer: '' }] : [];
  return { ...of, spec: { ...of.spec, clusters: targets, gracefulEvictionTasks: leaving } };
}

const withCpu = (cluster: Cluster, cpu: number): Cluster => ({
  ...cluster,
  status: { ...cluster.status, resourceSummary: { allocatable: { cpu: String(cpu), memory: '64Gi', pods: '1000' } } },
});

/** Returns what each binding needs, shared by those that need the same. */
function needsOf(bindings: readonly Binding[]): (binding: Binding) => RoomNeeds {
  const known = new Map<string, RoomNeeds>();
  for (const { spec } of bindings) {
    const id = JSON.stringify(spec.replicaRequirements);
    known.set(id, { id, requirements: spec.replicaRequirements, hasComponents: false, members: 1 });
  }
  return ({ spec }) => known.get(JSON.stringify(spec.replicaRequirements)) as RoomNeeds;
}

for (const seed of [1, 2, 3])
  t.test(`seed ${seed}`, async t => {
    const numbers = random(seed);
    const { below, chance } = numbers;
    const clusters = clustersOf(30, seed);
    const bindings = bindingsOf(200, seed).map(binding => (chance(0.7) ? placed(binding, clusters, numbers) : binding));
    const byKey = new Map(bindings.map(each => [keyOf(each), each]));
    const classes = new BindingClasses(() => true);
    for (const [key, each] of byKey) classes.set(key, each);
    const needs = needsOf(bindings);
    let found = 0;
    for (let round = 0; round < 5; round++) {
      const changes = clusters
        .filter(() => chance(0.1))
        .map((each): RoomChange => ({ before: withCpu(each, below(8)), now: withCpu(each, below(8)) }));
      let parses = 0;
      const look = new RoomLook(
        {
          get: key => {
            parses++;
            return byKey.get(key);
          },
          classes,
          hasMoreRoom: check,
        },
        changes,
      );
      const differing: string[] = [];
      for (const [key, each] of byKey) {
        const expected = changes.some(({ before, now }) => check(each, before, now));
        if (expected) found++;
        if ((await look.finds(key, needs(each))) !== expected) differing.push(key);
      }
      t.same(differing, []);
      t.equal(parses, 0);
    }
    t.ok(found > 100 && found < 900, `${found} of 1000 find room`);
  });

t.test('more kinds of bindings than a look remembers are not parsed either', async t => {
  const clusters = clustersOf(3);
  const changes = clusters.map((each): RoomChange => ({ before: withCpu(each, 1), now: withCpu(each, 2) }));
  const needing = (i: number): Binding =>
    binding({ replicas: 1, replicaRequirements: { resourceRequest: { cpu: `${i}m` } } }, {}, { name: `b${i}` });
  const bindings = Array.from({ length: 1100 }, (_, i) => needing(1001 + i));
  const classes = new BindingClasses(() => true);
  for (const each of bindings) classes.set(keyOf(each), each);
  const look = new RoomLook(
    {
      get: key => {
        throw new Error(`${key} is parsed`);
      },
      classes,
      hasMoreRoom: (input, before, now) => generalRoom(input, now) > generalRoom(input, before),
    },
    changes,
  );
  const needs = needsOf(bindings);
  let found = 0;
  for (const each of bindings) if (await look.finds(keyOf(each), needs(each))) found++;
  t.equal(found, 1000, 'those of at most two CPUs');
});

t.test('bindings with a long placement are parsed by the first look only, and share a judgement', async t => {
  const clusterNames = Array.from({ length: 3000 }, (_, i) => `member-${i}`);
  const bindings = Array.from({ length: 40 }, (_, i) =>
    binding(
      { replicas: 1, placement: { clusterAffinity: { clusterNames } } },
      {},
      { name: `b${i}`, generation: 1, uid: `${i}` },
    ),
  );
  const byKey = new Map(bindings.map(each => [keyOf(each), each]));
  const classes = new BindingClasses(() => true);
  for (const [key, each] of byKey) classes.set(key, each);
  const needs = needsOf(bindings);
  const [first] = clustersOf(1);
  if (!first) throw new Error('there is no cluster');
  const counts = { parses: 0, judged: 0 };
  const look = async (before: number, now: number): Promise<number> => {
    const room = new RoomLook(
      {
        get: key => {
          counts.parses++;
          return structuredClone(byKey.get(key));
        },
        classes,
        hasMoreRoom(input, before, now) {
          counts.judged++;
          return check(input, before, now);
        },
      },
      [{ before: withCpu(first, before), now: withCpu(first, now) }],
    );
    let found = 0;
    for (const [key, each] of byKey) if (await room.finds(key, needs(each))) found++;
    return found;
  };
  t.equal(await look(1, 1), 0);
  t.same(counts, { parses: 40, judged: 1 });
  for (let i = 0; i < 3; i++) await look(1, 1);
  t.same(counts, { parses: 40, judged: 4 });
});
