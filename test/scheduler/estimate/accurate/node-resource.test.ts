/** Estimates by the nodes of a member. The results of Karmada are compared in test/conformance/golden. */
import t from 'tap';
import type { Component, NodeClaim, ReplicaRequirements } from '../../../../api/karmada/types.js';
import { atOnce, inTimeSlices } from '../../../../lib/time-slice.js';
import { nodeAmounts, type NodeInfo } from '../../../../scheduler/estimate/accurate/node-info.js';
import { nodeMatch } from '../../../../scheduler/estimate/accurate/node-match.js';
import { replicasOnNodes, setsOnNodes } from '../../../../scheduler/estimate/accurate/node-resource.js';
import { NodeSnapshot } from '../../../../scheduler/estimate/accurate/node-snapshot.js';
import type { EstimatedNode, EstimatedPod } from '../../../../scheduler/estimate/accurate/interface.js';
import type { AssumedWorkload } from '../../../../scheduler/interface.js';
import { longestStall } from '../../../lib/longest-stall.js';
import { random, type Random } from '../../../random.js';

const node = (allocatable: Record<string, string>, labels = {}, spec = {}): EstimatedNode => ({
  metadata: { labels },
  spec,
  status: { allocatable: { pods: '110', ...allocatable } },
});
const pod = (nodeName: string, requests: Record<string, string>): EstimatedPod => ({
  spec: { nodeName, containers: [{ resources: { requests } }] },
});

function snapshotOf(nodes: Record<string, EstimatedNode>, pods: readonly EstimatedPod[] = []): NodeSnapshot {
  const snapshot = new NodeSnapshot();
  for (const [name, object] of Object.entries(nodes)) snapshot.setNode(name, object);
  for (const [i, object] of pods.entries()) snapshot.setPod(`default/p${i}`, object);
  return snapshot;
}

const replicas = (
  { nodes }: NodeSnapshot,
  requirements?: ReplicaRequirements,
  assumed?: readonly AssumedWorkload[],
): number => atOnce(replicasOnNodes(nodes, requirements, assumed));

t.test('replicas fit on the nodes that their claim selects', t => {
  const snapshot = snapshotOf(
    {
      plain: node({ cpu: '4' }, { zone: 'a', cores: '4' }),
      gpu: node({ cpu: '4', 'example.com/gpu': '2' }, { zone: 'b', cores: '16' }),
      tainted: node({ cpu: '4' }, { zone: 'a' }, { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }),
      cordoned: node({ cpu: '4' }, { zone: 'c' }, { unschedulable: true }),
    },
    [pod('plain', { cpu: '500m' }), pod('elsewhere', { cpu: '1' })],
  );
  const cpu = { cpu: '1' };
  const expressions = (...matchExpressions: object[]): NodeClaim => ({
    hardNodeAffinity: { nodeSelectorTerms: [{ matchExpressions }] },
  });
  const fields = (operator: string, ...values: string[]): NodeClaim => ({
    hardNodeAffinity: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator, values }] }] },
  });
  const rows: readonly [name: string, claim: NodeClaim | undefined, expect: number][] = [
    ['nothing is selected', undefined, 7],
    ['a selector', { nodeSelector: { zone: 'b' } }, 4],
    ['a label that no node has', { nodeSelector: { zone: 'z' } }, 0],
    ['a toleration', { tolerations: [{ key: 'k', operator: 'Exists' }] }, 11],
    ['a toleration of everything', { tolerations: [{ operator: 'Exists' }] }, 15],
    ['In', expressions({ key: 'zone', operator: 'In', values: ['a', 'z'] }), 3],
    ['NotIn', expressions({ key: 'zone', operator: 'NotIn', values: ['a'] }), 4],
    ['Exists', expressions({ key: 'cores', operator: 'Exists' }), 7],
    ['DoesNotExist', expressions({ key: 'cores', operator: 'DoesNotExist' }), 0],
    ['Gt', expressions({ key: 'cores', operator: 'Gt', values: ['4'] }), 4],
    ['Lt', expressions({ key: 'cores', operator: 'Lt', values: ['5'] }), 3],
    ['a malformed requirement', expressions({ key: 'cores', operator: 'Gt', values: ['x'] }), 0],
    ['an unknown operator', expressions({ key: 'cores', operator: 'Near' }), 0],
    ['the name of a node', fields('In', 'gpu'), 4],
    ['any other node', fields('NotIn', 'gpu'), 3],
    ['several names', fields('In', 'gpu', 'plain'), 0],
    ['no terms', { hardNodeAffinity: { nodeSelectorTerms: [] } }, 7],
    ['an empty term', { hardNodeAffinity: { nodeSelectorTerms: [{}] } }, 0],
  ];
  for (const [name, nodeClaim, expect] of rows)
    t.equal(replicas(snapshot, { resourceRequest: cpu, ...(nodeClaim && { nodeClaim }) }), expect, name);
  t.equal(replicas(snapshot), 219, 'without requirements, all slots of pods');
  t.equal(replicas(snapshot, { resourceRequest: { 'example.com/gpu': '1' } }), 2);
  t.equal(replicas(snapshot, { resourceRequest: { cpu: '0', storage: '1' } }), 219, 'nodes do not count these');
  t.throws(() => replicas(snapshot, { resourceRequest: { cpu: 'x' } }));
  t.end();
});

t.test('a snapshot follows nodes and pods', t => {
  const snapshot = snapshotOf({ a: node({ cpu: '4' }) });
  const fits = (): number => replicas(snapshot, { resourceRequest: { cpu: '1' } });
  const steps: readonly [name: string, change: () => void, expect: number][] = [
    ['a pod', () => snapshot.setPod('n/p', pod('a', { cpu: '1' })), 3],
    ['the pod grows', () => snapshot.setPod('n/p', pod('a', { cpu: '2' })), 2],
    ['a pod of a node that is not known yet', () => snapshot.setPod('n/q', pod('b', { cpu: '3' })), 2],
    ['the node is known', () => snapshot.setNode('b', node({ cpu: '4' })), 3],
    ['a pod ends', () => snapshot.setPod('n/p', { ...pod('a', { cpu: '2' }), status: { phase: 'Succeeded' } }), 5],
    ['the node shrinks', () => snapshot.setNode('a', node({ cpu: '2' })), 3],
    ['a node is cordoned', () => snapshot.setNode('a', node({ cpu: '2' }, {}, { unschedulable: true })), 1],
    ['a node goes', () => snapshot.setNode('b', undefined), 0],
    ['the node comes back with its pod', () => snapshot.setNode('b', node({ cpu: '9' })), 6],
    ['the pod moves', () => snapshot.setPod('n/q', pod('a', { cpu: '3' })), 9],
    ['the pod goes', () => snapshot.setPod('n/q', undefined), 9],
    ['a malformed node takes nothing', () => snapshot.setNode('b', node({ cpu: 'many' })), 0],
    ['a malformed pod takes a slot', () => snapshot.setPod('n/r', pod('a', { cpu: 'many' })), 0],
    ['the node is no longer cordoned', () => snapshot.setNode('a', node({ cpu: '2', pods: '2' })), 1],
  ];
  for (const [name, change, expect] of steps) {
    const { generation } = snapshot;
    change();
    t.not(snapshot.generation, generation, name);
    t.equal(fits(), expect, name);
  }
  const { generation } = snapshot;
  snapshot.setPod('n/r', pod('a', { cpu: 'many' }));
  snapshot.setPod('n/unknown', undefined);
  t.equal(snapshot.generation, generation, 'a change that changes nothing');
  t.same(
    [snapshot.hasNode('a'), snapshot.hasNode('z'), snapshot.hasPod('n/r'), snapshot.hasPod('n/q')],
    [true, false, true, false],
  );
  t.end();
});

t.test('the nodes of different zones alternate', t => {
  const zone = (name: string): EstimatedNode => node({}, { 'topology.kubernetes.io/zone': name });
  const snapshot = snapshotOf({
    a1: zone('a'),
    a2: zone('a'),
    a3: zone('a'),
    b1: zone('b'),
    c1: zone('c'),
    b2: zone('b'),
  });
  const names = (): string => snapshot.nodes.map(({ name }) => name).join(' ');
  t.equal(names(), 'a1 b1 c1 a2 b2 a3');
  snapshot.setNode('a1', zone('c'));
  t.equal(names(), 'a2 b1 c1 a3 b2 a1');
  snapshot.setNode('c1', undefined);
  snapshot.setNode('a1', undefined);
  t.equal(names(), 'a2 b1 a3 b2');
  t.end();
});

// --- the reference ---------------------------------------------------------------------------------------------------

/** Places sets as kube-scheduler would, one replica after the other on the first node. It is slow and simple. */
class Simulation {
  readonly #nodes: { readonly info: NodeInfo; readonly free: Map<string, number>; pods: number }[];

  constructor(nodes: readonly NodeInfo[], resources: readonly string[]) {
    this.#nodes = nodes.map(info => ({
      info,
      free: new Map(resources.map(name => [name, info.free(name)])),
      pods: info.freePods,
    }));
  }

  place(components: readonly Component[]): boolean {
    return components.every(({ replicas, replicaRequirements: { nodeClaim, resourceRequest } = {} }) => {
      const [matches, request] = [nodeMatch(nodeClaim), nodeAmounts(resourceRequest)];
      for (let left = replicas; left > 0; left--) {
        const node = this.#nodes.find(
          ({ info, free, pods }) =>
            matches(info) && pods > 0 && [...request].every(([name, amount]) => (free.get(name) ?? 0) >= amount),
        );
        if (!node) return false;
        node.pods--;
        for (const [name, amount] of request) node.free.set(name, (node.free.get(name) ?? 0) - amount);
      }
      return true;
    });
  }

  sets(components: readonly Component[]): number {
    let sets = 0;
    while (this.place(components)) sets++;
    return sets;
  }
}

function someComponents(r: Random, most: number): Component[] {
  return Array.from({ length: 1 + r.below(3) }, (_, i) => ({
    name: `c${i}`,
    replicas: r.below(most),
    replicaRequirements: {
      resourceRequest: { cpu: `${r.below(4)}`, ...(r.chance(0.5) && { memory: `${1 + r.below(4)}Gi` }) },
      ...(r.chance(0.4) && { nodeClaim: { nodeSelector: { zone: r.pick(['a', 'b']) } } }),
      ...(r.chance(0.2) && { nodeClaim: { tolerations: [{ operator: 'Exists' as const }] } }),
    },
  }));
}

t.test('sets and assumed workloads are placed as by a simulation', t => {
  const r = random(20);
  const resources = ['cpu', 'memory'];
  for (let run = 0; run < 300; run++) {
    const nodes = Array.from({ length: 1 + r.below(6) }, (_, i): [string, EstimatedNode] => {
      const taints = r.chance(0.2) ? [{ key: 'k', effect: 'NoSchedule' }] : [];
      const amounts = { cpu: `${1 + r.below(16)}`, memory: `${1 + r.below(16)}Gi`, pods: `${1 + r.below(20)}` };
      return [`n${i}`, node(amounts, { zone: r.pick(['a', 'b']) }, { taints })];
    });
    const snapshot = snapshotOf(Object.fromEntries(nodes));
    const components = [{ name: 'one', replicas: 1 }, ...someComponents(r, 5)];
    const assumed = Array.from({ length: r.below(4) }, () => ({ namespace: 'n', components: someComponents(r, 8) }));
    const simulation = new Simulation(snapshot.nodes, resources);
    for (const workload of assumed) simulation.place(workload.components);
    const found = atOnce(setsOnNodes(snapshot.nodes, components, assumed));
    const expected = simulation.sets(components);
    if (found !== expected) t.equal(found, expected, `run ${run}`);
  }
  t.pass('300 runs');
  t.end();
});

t.test('assumed workloads take their part from replicas', t => {
  const snapshot = snapshotOf({ a: node({ cpu: '4' }), b: node({ cpu: '4' }) });
  const one = { resourceRequest: { cpu: '1' } };
  const workload = (count: number, cpu: string): AssumedWorkload => ({
    namespace: 'n',
    components: [{ name: 'c', replicas: count, replicaRequirements: { resourceRequest: { cpu } } }],
  });
  t.equal(replicas(snapshot, one, [workload(5, '1')]), 3);
  t.equal(replicas(snapshot, one, [workload(1, '3'), workload(1, '3')]), 2);
  t.equal(replicas(snapshot, one, [workload(3, '3')]), 2, 'what was placed of a workload that does not fit stays');
  t.equal(atOnce(setsOnNodes(snapshot.nodes, [{ name: 'c', replicas: 0 }])), 2_147_483_647);
  t.end();
});

t.test('estimates of 5,000 nodes with 100,000 pods do not hold the event loop', async t => {
  const snapshot = new NodeSnapshot();
  for (let i = 0; i < 5000; i++)
    snapshot.setNode(
      `n${i}`,
      node({ cpu: `${8 + (i % 40)}`, memory: '64Gi' }, { zone: `z${i % 7}`, rack: `r${i % 211}` }),
    );
  for (let i = 0; i < 100_000; i++)
    snapshot.setPod(`n/p${i}`, pod(`n${i % 5000}`, { cpu: '200m', memory: `${64 + (i % 90)}Mi` }));
  const affinity = {
    nodeSelectorTerms: Array.from({ length: 8 }, (_, i) => ({
      matchExpressions: [
        { key: 'rack', operator: 'NotIn', values: Array.from({ length: 20 }, (_, j) => `r${i * 20 + j}`) },
      ],
    })),
  };
  const requirements = { resourceRequest: { cpu: '100m', memory: '256Mi' }, nodeClaim: { hardNodeAffinity: affinity } };
  const components = Array.from({ length: 6 }, (_, i) => ({
    ...{ name: `c${i}`, replicas: 1 + i },
    replicaRequirements: { ...requirements, resourceRequest: { cpu: `${700 + i * 300}m`, memory: '1Gi' } },
  }));
  const assumed = Array.from({ length: 500 }, (_, i) => ({
    namespace: 'n',
    components: [{ name: 'c', replicas: 20, replicaRequirements: { resourceRequest: { cpu: `${1 + (i % 50)}m` } } }],
  }));
  let fits = [0];
  const run = async (): Promise<void> => {
    fits = [
      await inTimeSlices(replicasOnNodes(snapshot.nodes, requirements, assumed)),
      await inTimeSlices(setsOnNodes(snapshot.nodes, components, assumed)),
    ];
  };
  const stall = await longestStall(50, run);
  t.ok(
    fits.every(count => count > 1000),
    fits.join(),
  );
  t.ok(stall < 50, `${stall.toFixed(0)} ms`);
});
