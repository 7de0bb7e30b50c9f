/** What a cluster reports of its nodes and pods: resources, numbers of nodes by model, readiness. */
import t from 'tap';
import { ChangedKeys } from '../../../controllers/cluster/member-usage.js';
import { ClusterTotals, type Node, type Pod } from '../../../controllers/cluster/summary.js';
import { random } from '../../random.js';
import type { ResourceList, ResourceModel } from '../../../api/karmada/types.js';

const node = (name: string, allocatable?: ResourceList, readiness?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: {
    ...(allocatable && { allocatable }),
    ...(readiness !== undefined && { conditions: [{ type: 'Ready', status: readiness }] }),
  },
});

interface PodFields {
  readonly on?: string;
  readonly phase?: string;
  readonly init?: ResourceList;
}

const containerOf = (requests: ResourceList) => ({ name: 'c', resources: { requests } });

const pod = (requests: ResourceList, { on, phase, init }: PodFields = {}): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } },
  spec: {
    ...(on !== undefined && { nodeName: on }),
    ...(init && { initContainers: [containerOf(init)] }),
    containers: [containerOf(requests)],
  },
  ...(phase !== undefined && { status: { phase } }),
});

function totalsOf(nodes: readonly Node[], pods: readonly Pod[] = []): ClusterTotals {
  const totals = new ClusterTotals();
  for (const [i, node] of nodes.entries()) totals.setNode(node.metadata.name ?? String(i), node);
  for (const [i, pod] of pods.entries()) totals.setPod(`default/${i}`, pod);
  return totals;
}

const summarise = (nodes: readonly Node[], pods: readonly Pod[], models: readonly ResourceModel[]) =>
  totalsOf(nodes, pods).summary(models);

const models: readonly ResourceModel[] = [
  { grade: 0, ranges: [{ name: 'cpu', min: '0', max: '2' }] },
  { grade: 1, ranges: [{ name: 'cpu', min: '2', max: '4' }] },
  { grade: 2, ranges: [{ name: 'cpu', min: '4', max: '9223372036854775807' }] },
];

t.test('requests of pods are summed by whether they are scheduled', async t => {
  const nodes = [node('a', { cpu: '4', memory: '1Gi', pods: '10' }), node('b', { cpu: '500m', pods: '5' }), node('c')];
  const pods = [
    pod({ cpu: '1', memory: '128Mi' }, { on: 'a', phase: 'Running' }),
    pod({ cpu: '250m' }, { on: 'b', init: { cpu: '2' } }),
    pod({ cpu: '8' }, { on: 'a', phase: 'Succeeded' }),
    pod({ cpu: '8' }, { on: 'a', phase: 'Failed' }),
    pod({ cpu: '300m' }),
  ];
  t.strictSame(await summarise(nodes, pods, []), {
    allocatable: { cpu: '4500m', memory: '1Gi', pods: '15' },
    allocating: { cpu: '300m', pods: '1' },
    // The requests of init containers are a minimum for the sum so far, not for their pod: as pkg/util Resource.AddPodRequest.
    allocated: { cpu: '2', memory: '128Mi', pods: '2' },
  });
});

t.test('a cluster without nodes and pods has no resources', async t => {
  t.strictSame(await summarise([], [], []), {}, 'a status that is read back is the same');
});

t.test('nodes count for the highest grade that their free resources reach', async t => {
  const rows: readonly {
    name: string;
    nodes: readonly Node[];
    pods?: readonly Pod[];
    expect: readonly number[];
  }[] = [
    { name: 'no nodes', nodes: [], expect: [0, 0, 0] },
    {
      name: 'idle nodes',
      nodes: ['1', '2', '3900m', '4', '64'].map(cpu => node(cpu, { cpu, pods: '10' })),
      expect: [1, 2, 2],
    },
    {
      name: 'running pods take what they request, finished ones nothing',
      nodes: [node('a', { cpu: '4', pods: '10' }), node('b', { cpu: '4', pods: '10' })],
      pods: [pod({ cpu: '1' }, { on: 'a' }), pod({ cpu: '3' }, { on: 'b', phase: 'Succeeded' })],
      expect: [0, 1, 1],
    },
    {
      name: 'the first node without capacity for pods ends the count, as in Karmada',
      nodes: [node('a', { cpu: '4', pods: '10' }), node('b', { cpu: '4', pods: '1' }), node('c', { cpu: '4' })],
      pods: [pod({ cpu: '1' }, { on: 'b' })],
      expect: [0, 0, 1],
    },
    { name: 'a node that reports nothing', nodes: [node('a')], expect: [1, 0, 0] },
  ];
  for (const { name, nodes, pods = [], expect } of rows) {
    const { allocatableModelings } = await summarise(nodes, pods, models);
    const expected = expect.map((count, grade) => ({ grade, count }));
    t.strictSame(allocatableModelings, expected, name);
  }
});

t.test('malformed nodes and pods, and very many names of resources, are refused', async t => {
  await t.rejects(summarise([node('a', { cpu: 'x' })], [], []), { message: /quantities must match/ });
  await t.rejects(summarise([], [pod({ cpu: '1x1' }, { on: 'a' })], []), { message: /quantities must match/ });
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`example.com/r${n}`, '1']));
  const tooMany = { message: 'the cluster has more than 1000 kinds of resources' };
  await t.rejects(summarise([node('a', many)], [], []), tooMany);
  await t.rejects(summarise([], [pod(many)], []), tooMany);
});

t.test('nodes are counted, and those that are ready', async t => {
  const summaryOf = (...nodes: Node[]) => totalsOf(nodes).nodeSummary();
  t.strictSame(summaryOf(), {});
  t.strictSame(summaryOf(node('a'), node('b', {}, 'False')), { totalNum: 2 });
  t.strictSame(summaryOf(node('a', {}, 'True'), node('b', {}, 'Unknown')), { totalNum: 2, readyNum: 1 });
});

t.test('after any changes the totals are those of the present nodes and pods', async t => {
  const { below, chance, pick } = random(7);
  const nodes = new Map<string, Node>();
  const pods = new Map<string, Pod>();
  const totals = new ClusterTotals();
  const amounts = ['100m', '1', '2500m', '7'];
  const put = <T>(all: Map<string, T>, key: string, value: T): T | undefined => {
    if (chance(0.25)) all.delete(key);
    else all.set(key, value);
    return all.get(key);
  };
  for (let step = 1; step <= 2000; step++) {
    const name = `n${below(6)}`;
    const key = `default/p${below(12)}`;
    const allocatable = { cpu: pick(amounts), pods: pick(['1', '3', '9']) };
    const fields = { ...(chance(0.7) && { on: name }), phase: pick(['Pending', 'Running', 'Succeeded']) };
    if (chance(0.2)) totals.setNode(name, put(nodes, name, node(name, allocatable, pick(['True', 'False']))));
    else totals.setPod(key, put(pods, key, pod({ cpu: pick(amounts), memory: '1Mi' }, fields)));
    if (step % 20 > 0) continue;
    const fresh = new ClusterTotals();
    for (const [name, node] of nodes) fresh.setNode(name, node);
    for (const [key, pod] of pods) fresh.setPod(key, pod);
    const used = models.slice(0, 1 + below(3));
    t.strictSame(await totals.summary(used), await fresh.summary(used), `step ${step}`);
    t.strictSame(totals.nodeSummary(), fresh.nodeSummary());
  }
});

t.test('an init container counts only while its pod is there', async t => {
  const totals = totalsOf([], [pod({ cpu: '1' }, { on: 'a' }), pod({ cpu: '250m' }, { on: 'a', init: { cpu: '2' } })]);
  t.match(await totals.summary([]), { allocated: { cpu: '2', pods: '2' } });
  totals.setPod('default/1', pod({ cpu: '250m' }, { on: 'a', phase: 'Succeeded', init: { cpu: '2' } }));
  t.match(await totals.summary([]), { allocated: { cpu: '1', pods: '1' } });
});

t.test('a malformed object is refused only while it is malformed', async t => {
  const totals = totalsOf([node('a', { cpu: 'x' })], [pod({ cpu: 'y' })]);
  await t.rejects(totals.summary([]), { message: /quantities must match/ });
  totals.setNode('a', node('a', { cpu: 'x' }, 'True'));
  totals.setPod('default/0', pod({ cpu: '1' }));
  await t.rejects(totals.summary([]), { message: /quantities must match/ }, 'the node is still malformed');
  totals.setNode('a', undefined);
  t.strictSame(await totals.summary([]), { allocating: { cpu: '1', pods: '1' } });
});

t.test('a change is counted without reading the other pods and nodes again', async t => {
  let reads = 0;
  const counted = <T extends Node | Pod>(object: T): T =>
    new Proxy(object, { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
  const nodes = Array.from({ length: 50 }, (_, i) => counted(node(`n${i}`, { cpu: '64', pods: '100' }, 'True')));
  const pods = Array.from({ length: 1000 }, (_, i) =>
    counted(pod({ cpu: '1' }, { on: `n${i % 50}`, phase: 'Running' })),
  );
  const totals = totalsOf(nodes, pods);
  t.match(await totals.summary(models), { allocated: { cpu: '1k', pods: '1k' } });
  reads = 0;
  totals.setPod('default/0', counted(pod({ cpu: '2' }, { on: 'n0', phase: 'Running' })));
  t.match(await totals.summary(models), { allocated: { cpu: '1001', pods: '1k' } });
  t.ok(reads < 10, `${reads} reads`);
});

t.test('changes that are not counted for long take no memory for objects that are gone', t => {
  const totals = totalsOf([], [pod({ cpu: '1' }), pod({ cpu: 'malformed' })]);
  const changed = new ChangedKeys(key => totals.hasPod(key));
  const state = { revision: 1n } as unknown as NonNullable<Parameters<ChangedKeys['add']>[0]['newCached']>;
  for (let i = 2; i < 1000; i++) {
    changed.add({ key: `default/${i}`, newCached: state });
    changed.add({ key: `default/${i}`, newCached: undefined });
  }
  t.equal(changed.size, 0);
  for (const i of [0, 1]) changed.add({ key: `default/${i}`, newCached: undefined });
  changed.add({ key: 'default/present', newCached: state });
  t.same([...changed.take()], ['default/0', 'default/1', 'default/present']);
  t.equal(changed.size, 0);
  t.end();
});
