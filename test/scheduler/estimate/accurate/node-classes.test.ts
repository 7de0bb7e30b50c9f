/** Estimates by what was found for the same requirements before. */
import t from 'tap';
import type { Component, ReplicaRequirements } from '../../../../api/karmada/types.js';
import { atOnce, type InSteps } from '../../../../lib/time-slice.js';
import { stepsUnlessAborted } from '../../../../lib/unless-aborted.js';
import { accurateReplicas, accurateSets } from '../../../../scheduler/estimate/accurate/accurate.js';
import type { EstimatedNode, EstimatedPod } from '../../../../scheduler/estimate/accurate/interface.js';
import { NodeClasses } from '../../../../scheduler/estimate/accurate/node-classes.js';
import { NodeInfo } from '../../../../scheduler/estimate/accurate/node-info.js';
import { replicasOnNodes, setsOnNodes } from '../../../../scheduler/estimate/accurate/node-resource.js';
import { NodeSnapshot } from '../../../../scheduler/estimate/accurate/node-snapshot.js';
import type { AssumedWorkload } from '../../../../scheduler/interface.js';
import { type Random, random } from '../../../random.js';

const node = (cpu: string, labels = {}): EstimatedNode => ({
  metadata: { labels },
  status: { allocatable: { cpu, pods: '20' } },
});
const pod = (nodeName: string, cpu: string): EstimatedPod => ({
  spec: { nodeName, containers: [{ resources: { requests: { cpu } } }] },
});
const needing = (cpu: string, more: Partial<ReplicaRequirements> = {}): ReplicaRequirements => ({
  resourceRequest: { cpu },
  ...more,
});

const component = (replicas: number, cpu: string, more: Partial<ReplicaRequirements> = {}): Component => ({
  ...{ name: 'c', replicas, replicaRequirements: needing(cpu, more) },
});
const assuming = (...components: readonly Component[]): AssumedWorkload => ({ namespace: 'ns', components });

const labels = [{}, { disk: 'ssd' }];

/** Returns a member with nodes of eight CPUs. */
function memberOf(count: number): { snapshot: NodeSnapshot; classes: NodeClasses } {
  const snapshot = new NodeSnapshot();
  for (let i = 0; i < count; i++) snapshot.setNode(`n${i}`, node('8'));
  return { snapshot, classes: new NodeClasses(snapshot) };
}

/** Runs `act`, and returns the number of nodes whose free slots were read. */
function looksDuring(act: () => unknown): number {
  const { prototype } = NodeInfo;
  const original = Object.getOwnPropertyDescriptor(prototype, 'freePods');
  if (!original?.get) throw new Error('there is no such property');
  let looks = 0;
  Object.defineProperty(prototype, 'freePods', {
    ...original,
    get(this: NodeInfo) {
      looks++;
      return original.get?.call(this) as unknown;
    },
  });
  try {
    act();
  } finally {
    Object.defineProperty(prototype, 'freePods', original);
  }
  return looks;
}

t.test('only nodes that have changed are looked at again', t => {
  const { snapshot, classes } = memberOf(100);
  const replicas = (cpu: string): number => atOnce(classes.replicas(needing(cpu)));
  t.equal(
    looksDuring(() => t.equal(replicas('3'), 200)),
    100,
  );
  t.equal(
    looksDuring(() => t.equal(replicas('3'), 200)),
    0,
    'nothing has changed',
  );
  snapshot.setPod('ns/a', pod('n7', '4'));
  snapshot.setPod('ns/b', pod('n7', '1'));
  snapshot.setPod('ns/c', pod('n9', '8'));
  t.equal(
    looksDuring(() => t.equal(replicas('3'), 197)),
    2,
  );
  t.equal(
    looksDuring(() => t.equal(replicas('4'), 196)),
    100,
    'other requirements',
  );
  snapshot.setNode('more', node('8'));
  t.equal(
    looksDuring(() => t.equal(replicas('3'), 199)),
    101,
    'another list of nodes',
  );
  for (let i = 0; i < 5000; i++) snapshot.setPod('ns/d', pod('n1', i % 2 ? '1' : '2'));
  t.equal(snapshot.changedSince(0), undefined, 'changes are forgotten');
  t.equal(
    looksDuring(() => replicas('3')),
    101,
  );
  t.end();
});

t.test('the results are those of estimates that look at all nodes', t => {
  for (const seed of [1, 2, 3]) {
    const { below, chance } = random(seed);
    const { snapshot, classes } = memberOf(8);
    for (let step = 0; step < 400; step++) {
      const name = `n${below(12)}`;
      if (chance(0.15)) snapshot.setNode(name, chance(0.3) ? undefined : node(String(below(16)), labels[below(2)]));
      else snapshot.setPod(`ns/p${below(30)}`, chance(0.3) ? undefined : pod(name, String(below(4))));
      const claim = chance(0.5) ? { nodeClaim: { nodeSelector: { disk: 'ssd' } } } : {};
      const wanted = chance(0.1) ? undefined : needing(String(1 + below(3)), claim);
      const state = { nodes: snapshot.nodes, classes };
      const expected = snapshot.nodes.length === 0 ? 0 : atOnce(replicasOnNodes(snapshot.nodes, wanted));
      if (atOnce(accurateReplicas(state, wanted)) !== expected) t.fail(`seed ${seed}, step ${step}`);
    }
    t.ok(classes.size > 1);
  }
  t.end();
});

t.test('beside assumed workloads, only nodes that they were placed on or that have changed are looked at', t => {
  const { snapshot, classes } = memberOf(1000);
  const assumed: AssumedWorkload[] = [];
  const set = [component(1, '2'), component(1, '4')];
  const replicas = {
    ask: (): number => atOnce(classes.replicas(needing('3'), assumed)),
    expected: (): number => atOnce(replicasOnNodes(snapshot.nodes, needing('3'), assumed)),
  };
  const sets = {
    ask: (): number => atOnce(classes.sets(set, assumed)),
    expected: (): number => atOnce(setsOnNodes(snapshot.nodes, set, assumed)),
  };
  const check = ({ ask, expected }: typeof replicas, looks: number, why: string): void => {
    const [found, wanted] = [{ count: -1 }, expected()];
    const counted = looksDuring(() => (found.count = ask()));
    t.equal(found.count, wanted, why);
    t.ok(counted <= looks, `${why}: ${counted} nodes`);
  };
  check(replicas, 1000, 'nothing is assumed');
  check(sets, 1000, 'nothing is assumed');
  // Eight nodes are full.
  assumed.push(assuming(component(16, '4')));
  check(replicas, 20, 'a workload is assumed');
  check(sets, 10, 'for sets, too');
  for (let i = 0; i < 50; i++) {
    assumed.push(assuming(component(2, '4')));
    check(replicas, 6, 'one more');
    check(sets, 2, 'one more');
    check(replicas, 0, 'the same');
    check(sets, 0, 'the same');
  }
  // The message of another process has equal workloads, which are other objects.
  assumed.splice(0, Infinity, ...(JSON.parse(JSON.stringify(assumed)) as AssumedWorkload[]));
  check(replicas, 0, 'equal ones');
  snapshot.setPod('ns/a', pod('n900', '6'));
  check(replicas, 2, 'a node that no workload was placed on');
  assumed.pop();
  check(replicas, 4, 'the last one is gone');
  check(sets, 4, 'the last one is gone');
  snapshot.setPod('ns/b', pod('n57', '8'));
  assumed.splice(0, 1);
  // 49 workloads are placed again, each on one of the first nodes.
  check(replicas, 49 * 5, 'the first one is gone, and a node is full');
  check(sets, 49 * 5, 'the first one is gone, and a node is full');
  assumed.length = 0;
  check(replicas, 60, 'nothing is assumed any more');
  t.end();
});

const someComponents = ({ below, chance }: Random): Component[] =>
  Array.from({ length: 1 + below(3) }, () =>
    component(below(6), String(1 + below(3)), chance(0.3) ? { nodeClaim: { nodeSelector: { disk: 'ssd' } } } : {}),
  );

t.test(
  'with random changes of nodes, pods and assumed workloads, the results are those of estimates from nothing',
  t => {
    for (const seed of [4, 5, 6, 7]) {
      const r = random(seed);
      const { below, chance } = r;
      const { snapshot, classes } = memberOf(12);
      let assumed: AssumedWorkload[] = [];
      for (let step = 0; step < 400; step++) {
        const name = `n${below(14)}`;
        if (chance(0.05)) snapshot.setNode(name, chance(0.3) ? undefined : node(String(below(16)), labels[below(2)]));
        else if (chance(0.3))
          snapshot.setPod(`ns/p${below(30)}`, chance(0.3) ? undefined : pod(name, String(below(4))));
        if (chance(0.4)) assumed.push(assuming(...someComponents(r)));
        if (chance(0.3)) assumed.splice(below(assumed.length + 1), 1);
        if (chance(0.1)) assumed = JSON.parse(JSON.stringify(assumed)) as AssumedWorkload[];
        if (chance(0.02)) assumed = [];
        const state = { nodes: snapshot.nodes, classes, assumed };
        if (chance(0.05)) {
          const broken = [...assumed, assuming(component(1, '1'), component(1, 'x'))];
          t.throws(() => atOnce(accurateReplicas({ ...state, assumed: broken }, needing('1'))));
        }
        const wanted = needing(
          String(1 + below(3)),
          chance(0.5) ? { nodeClaim: { nodeSelector: { disk: 'ssd' } } } : {},
        );
        const expected = atOnce(replicasOnNodes(snapshot.nodes, wanted, assumed));
        const components = someComponents(r);
        const expectedSets = atOnce(setsOnNodes(snapshot.nodes, components, assumed));
        if (atOnce(accurateReplicas(state, wanted)) !== expected) return t.fail(`seed ${seed}, step ${step}: replicas`);
        if (atOnce(accurateSets(state, { namespace: 'ns', components }, undefined)) !== expectedSets)
          return t.fail(`seed ${seed}, step ${step}: sets`);
      }
      t.ok(classes.size > 1);
    }
    t.end();
  },
);

t.test(
  'estimates at the same time do not mix their assumed workloads, and one that is aborted leaves nothing behind',
  t => {
    const { snapshot, classes } = memberOf(1000);
    const many = Array.from({ length: 300 }, () => assuming(component(2, '4')));
    const asks: readonly (() => InSteps<number>)[] = [
      () => classes.replicas(needing('3'), many),
      () => classes.replicas(needing('3')),
      () => classes.sets([component(2, '4')], many.slice(0, 100)),
      () => classes.replicas(needing('3'), many.slice(100)),
    ];
    const results = new Map<number, number>();
    for (let open = asks.map((ask, i) => ({ i, steps: ask() })); open.length > 0;)
      open = open.filter(({ i, steps }) => {
        const { done, value } = steps.next();
        if (done) results.set(i, value);
        return !done;
      });
    t.same(
      [...results].sort(([a], [b]) => a - b).map(([, count]) => count),
      [1400, 2000, 900, 1600],
    );

    // Each of them ends in another step.
    for (let before = 1; before < 12; before++) {
      const abort = new AbortController();
      const { classes } = memberOf(1000);
      const large = [assuming(component(600, '4')), assuming(component(200, '4'))];
      const steps = stepsUnlessAborted(classes.replicas(needing('3'), large), abort.signal);
      for (let i = 0; i < before; i++) t.notOk(steps.next().done);
      abort.abort(new Error('late'));
      t.throws(() => steps.next(), { message: 'late' });
      t.equal(atOnce(classes.replicas(needing('3'), large)), 1200);
      t.equal(atOnce(classes.replicas(needing('3'), [])), 2000);
    }
    t.equal(atOnce(classes.replicas(needing('3'), many)), 1400);
    t.equal(
      looksDuring(() => t.equal(atOnce(classes.replicas(needing('3'), many)), 1400)),
      0,
    );
    snapshot.setPod('ns/a', pod('n900', '8'));
    t.equal(atOnce(classes.replicas(needing('3'), many)), 1398);
    const tooMany = Array.from({ length: 10_001 }, () => assuming());
    t.equal(atOnce(classes.replicas(needing('3'), tooMany)), 1998, 'very many are not kept');
    t.equal(atOnce(classes.sets([component(1, '8')], tooMany)), 999);
    t.equal(atOnce(classes.sets([component(0, '8')], many)), 2 ** 31 - 1, 'what needs nothing');
    t.end();
  },
);

t.test('two questions at the same time, with changes between their steps', t => {
  const { snapshot, classes } = memberOf(1000);
  const ask = () => classes.replicas(needing('3'));
  t.equal(atOnce(ask()), 2000);
  for (let i = 0; i < 500; i++) snapshot.setPod(`ns/p${i}`, pod(`n${i}`, '8'));
  const [first, second] = [ask(), ask()];
  let steps = 0;
  for (let open = [first, second]; open.length > 0;) {
    open = open.filter(each => !each.next().done);
    if (steps++ === 2) snapshot.setPod('ns/late', pod('n900', '8'));
  }
  t.ok(steps > 3);
  t.equal(atOnce(ask()), 2 * 499);
  t.end();
});

t.test('what is kept is limited, and a malformed quantity is not', t => {
  const { classes } = memberOf(10);
  for (let i = 1; i <= 200; i++) atOnce(classes.replicas(needing(`${i}m`)));
  t.equal(classes.size, 64);
  t.throws(() => atOnce(classes.replicas(needing('x'))));
  t.equal(classes.size, 64);
  const { classes: large } = memberOf(30_000);
  for (const cpu of ['1', '2', '3']) atOnce(large.replicas(needing(cpu)));
  t.equal(large.size, 1);
  const long = needing('1', { nodeClaim: { nodeSelector: { a: 'x'.repeat(20_000) } } });
  t.equal(atOnce(classes.replicas(long)), 0);
  t.equal(classes.size, 64, 'long requirements are not kept');
  t.end();
});
