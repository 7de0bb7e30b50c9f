/** Estimates by what was found for the same requirements before. */
import t from 'tap';
import type { ReplicaRequirements } from '../../../../api/karmada/types.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { accurateReplicas } from '../../../../scheduler/estimate/accurate/accurate.js';
import type { EstimatedNode, EstimatedPod } from '../../../../scheduler/estimate/accurate/interface.js';
import { NodeClasses } from '../../../../scheduler/estimate/accurate/node-classes.js';
import { NodeInfo } from '../../../../scheduler/estimate/accurate/node-info.js';
import { replicasOnNodes } from '../../../../scheduler/estimate/accurate/node-resource.js';
import { NodeSnapshot } from '../../../../scheduler/estimate/accurate/node-snapshot.js';
import { random } from '../../../random.js';

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
    const labels = [{}, { disk: 'ssd' }];
    for (let step = 0; step < 400; step++) {
      const name = `n${below(12)}`;
      if (chance(0.15)) snapshot.setNode(name, chance(0.3) ? undefined : node(String(below(16)), labels[below(2)]));
      else snapshot.setPod(`ns/p${below(30)}`, chance(0.3) ? undefined : pod(name, String(below(4))));
      const claim = chance(0.5) ? { nodeClaim: { nodeSelector: { disk: 'ssd' } } } : {};
      const wanted = chance(0.1) ? undefined : needing(String(1 + below(3)), claim);
      const state = { nodes: snapshot.nodes, classes };
      const expected = snapshot.nodes.length === 0 ? 0 : atOnce(replicasOnNodes(snapshot.nodes, wanted));
      if (atOnce(accurateReplicas(state, wanted)) !== expected) t.fail(`seed ${seed}, step ${step}`);
      const assumed = [
        { namespace: 'ns', components: [{ name: 'c', replicas: 1, replicaRequirements: needing('1') }] },
      ];
      if (
        snapshot.nodes.length > 0 &&
        atOnce(accurateReplicas({ ...state, assumed }, wanted)) !==
          atOnce(replicasOnNodes(snapshot.nodes, wanted, assumed))
      )
        t.fail(`seed ${seed}, step ${step}: with assumed workloads`);
    }
    t.ok(classes.size > 1);
  }
  t.end();
});

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
