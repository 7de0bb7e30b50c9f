/** Taints of nodes: those that follow from conditions, and evictions by NoExecute taints. */
import t from 'tap';
import { silent } from '../../server/logger.js';
import type { Node, Pod, Taint } from '../../openapi/gen/core-v1.js';
import { daemonSets, nodes, pods } from '../../api/kubernetes/resources.js';
import { taintsOf } from '../../simulator/cluster/node-taints.js';
import { toleratedMs } from '../../simulator/cluster/taint-eviction.js';
import { startMember } from '../../simulator/member.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const notReady = 'node.kubernetes.io/not-ready';
const now = '2026-01-01T00:00:00Z';

t.test('the taints that follow from the conditions of a node', async t => {
  const node = (taints: Taint[], conditions: Record<string, string>, spec: object = {}): Node => ({
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { taints, ...spec } },
    status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
  });
  const mine: Taint = { key: 'mine', effect: 'NoSchedule' };
  const admitted: Taint = { key: notReady, effect: 'NoSchedule' };
  const rows = [
    { name: 'ready', given: node([mine, admitted], { Ready: 'True' }), expect: [mine] },
    { name: 'no heartbeat yet', given: node([admitted], {}), expect: [admitted] },
    {
      name: 'not ready',
      given: node([admitted], { Ready: 'False' }),
      expect: [admitted, { key: notReady, effect: 'NoExecute', timeAdded: now }],
    },
    {
      name: 'unknown',
      given: node([], { Ready: 'Unknown' }),
      expect: ['NoSchedule', 'NoExecute'].map(effect => ({
        ...{ key: 'node.kubernetes.io/unreachable', effect, timeAdded: now },
      })),
    },
    {
      name: 'pressure',
      given: node([], { Ready: 'True', DiskPressure: 'True' }),
      expect: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule', timeAdded: now }],
    },
    {
      name: 'cordoned',
      given: node([mine], { Ready: 'True' }, { unschedulable: true }),
      expect: [mine, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: now }],
    },
  ];
  for (const { name, given, expect } of rows) t.strictSame(taintsOf(given, now), expect, name);
});

t.test('the time for which taints are tolerated', async t => {
  const taints = ['a', 'b'].map(key => ({ key, effect: 'NoExecute' }));
  const tolerate = (key: string, tolerationSeconds?: number) => ({
    ...{ key, operator: 'Exists', effect: 'NoExecute' },
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  });
  t.equal(toleratedMs(taints, []), 0);
  t.equal(toleratedMs(taints, [tolerate('a')]), 0, 'every taint must be tolerated');
  t.equal(toleratedMs(taints, [tolerate('a'), tolerate('b')]), Infinity);
  t.equal(toleratedMs(taints, [tolerate('a', 5), tolerate('b', 3)]), 3000);
  t.equal(toleratedMs(taints, [tolerate('a', -1), tolerate('b')]), 0);
});

t.test('taints of the nodes of a member', async t => {
  const directory = await temporaryFolder(t);
  const hardware = { nodes: 2 };
  const { client, stop } = await startMember({ name: 'm', directory, host: '127.0.0.1', log: silent, hardware });
  t.teardown(stop);
  const namespace = 'default';
  const getNode = async (name: string): Promise<Node> => await client.get(nodes, { name });
  const ready = (name: string, status: string) =>
    client.patch(
      nodes,
      { name },
      {
        type: 'strategic',
        patch: { status: { conditions: [{ type: 'Ready', status, reason: 'Test', message: '' }] } },
      },
      { subresource: 'status' },
    );
  const taint = (name: string, taints: object[]) =>
    client.patch(nodes, { name }, { type: 'merge', patch: { spec: { taints } } });
  const create = (name: string, tolerations: object[] = []) =>
    client.create(pods, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
      spec: { nodeName: 'm-node-1', tolerations, containers: [{ name: 'c', image: 'busybox' }] },
    });
  const names = async (): Promise<string[]> =>
    ((await client.list(pods, { namespace })).items as Pod[]).map(({ metadata }) => metadata.name ?? '').sort();
  const keys = async (name: string): Promise<(string | undefined)[]> =>
    ((await getNode(name)).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

  await t.test('a new node takes Pods once it is ready', async t => {
    await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'extra' } });
    t.strictSame(await keys('extra'), [`${notReady}:NoSchedule`]);
    await ready('extra', 'True');
    await until('no taint', async () => (await keys('extra')).length === 0);
    await ready('extra', 'False');
    await until('two taints', async () => (await keys('extra')).length === 2);
    await client.delete(nodes, { name: 'extra' });
    t.pass();
  });

  await t.test('a NoExecute taint evicts Pods that do not tolerate it', async t => {
    const tolerate = (more: object) => ({ key: 'k', operator: 'Exists', effect: 'NoExecute', ...more });
    await client.create(daemonSets, {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace } },
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: { containers: [{ name: 'c', image: 'busybox' }] },
        },
      },
    });
    await create('stays', [tolerate({})]);
    await create('a-while', [tolerate({ tolerationSeconds: 1 })]);
    await create('long', [tolerate({ tolerationSeconds: 86_400 })]);
    await create('goes');
    await until('all of them', async () => (await names()).length === 6);
    await taint('m-node-1', [{ key: 'k', effect: 'NoExecute' }]);
    await until('those that go', async () => {
      const left = (await names()).map(name => name.replace(/^agent-.*/, 'agent'));
      return left.join() === 'agent,long,stays';
    });
    const [agent] = ((await client.list(pods, { namespace, labelSelector: 'app=agent' })).items as Pod[]) ?? [];
    t.equal(agent?.spec?.nodeName, 'm-node-2', 'the DaemonSet creates no Pod for a node with a taint that evicts it');
    await taint('m-node-1', []);
    await until('the DaemonSet is back', async () => (await names()).length === 4);
  });
});
