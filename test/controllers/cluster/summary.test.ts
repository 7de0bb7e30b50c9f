/** What a cluster reports of its nodes and pods: resources, numbers of nodes by model, readiness. */
import t from 'tap';
import { type Node, nodeSummary, type Pod, summarise } from '../../../controllers/cluster/summary.js';
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

const pod = (requests: ResourceList, { on, phase, init }: PodFields = {}): { object: Pod } => ({
  object: {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
    spec: {
      ...(on !== undefined && { nodeName: on }),
      ...(init && { initContainers: [containerOf(init)] }),
      containers: [containerOf(requests)],
    },
    ...(phase !== undefined && { status: { phase } }),
  },
});

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
  t.strictSame(await summarise([], [], []), { allocatable: {} });
});

t.test('nodes count for the highest grade that their free resources reach', async t => {
  const rows: readonly {
    name: string;
    nodes: readonly Node[];
    pods?: readonly { object: Pod }[];
    expect: readonly number[];
  }[] = [
    { name: 'no nodes', nodes: [], expect: [0, 0, 0] },
    {
      name: 'idle nodes',
      nodes: ['1', '2', '3900m', '4', '64'].map(cpu => node('n', { cpu, pods: '10' })),
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
  t.strictSame(nodeSummary([]), {});
  t.strictSame(nodeSummary([node('a'), node('b', {}, 'False')]), { totalNum: 2 });
  t.strictSame(nodeSummary([node('a', {}, 'True'), node('b', {}, 'Unknown')]), { totalNum: 2, readyNum: 1 });
});
