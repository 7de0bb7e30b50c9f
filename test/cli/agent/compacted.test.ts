/** `flagship agent` that does not reach its control plane for so long that the history of all its watches is compacted. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments } from '../../../api/kubernetes/resources.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { openEtcd } from '../../../storage/etcd/open-etcd.js';
import { freePorts } from '../../../tools/etcd.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { temporaryFolder } from '../../storage/folder.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, deployment, policyFor, readyReplicas, startPulledMember } from './pull-mode.js';

const namespace = 'default';
const workSpace = 'karmada-es-edge';
const numbered = (prefix: string, count = 8): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const [same, changed, deleted, added] = [
  numbered('same', 10),
  numbered('changed'),
  numbered('deleted'),
  numbered('new'),
];

async function end({ child }: ControlPlane): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Returns the sum of the values of the metric with a label. */
const sumOf = (metrics: string, name: string, label: string): number =>
  metrics
    .split('\n')
    .filter(line => line.startsWith(`${name}{`) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

const metricsOf = async (client: RemoteClient): Promise<string> =>
  (await client.raw({ method: 'GET', path: '/metrics' })).body.toString();

t.test('an agent lists again what it has missed, and applies it', { skip: withoutEtcd }, async t => {
  const etcd = await startEtcd(t);
  const args = [`--etcd-servers=${etcd.endpoint}`, '--etcd-compaction-interval=0'];
  const plane = await ControlPlane.start(t, args);
  const member = await startPulledMember(t, 'edge');
  const metrics = `127.0.0.1:${(await freePorts(1)).join()}`;
  const agent = await AgentProcess.ofEdge(t, plane, member, [
    // A new leader would begin with lists.
    ...['--leader-elect=false', '--metrics-bind-address', metrics],
  ]);
  const agentMetrics = async (): Promise<string> => (await fetch(`http://${metrics}/metrics`)).text();
  const requests = async (): Promise<number> =>
    sumOf(await agentMetrics(), 'rest_client_requests_total', `host="${new URL(plane.url).host}"`);
  await plane.client.create(resources.propagationPolicies, policyFor('edge'));
  for (const name of [...same, ...changed, ...deleted]) await plane.client.create(deployments, deployment(name, 1));
  for (const name of [...same, ...changed, ...deleted])
    await until(`${name} is applied`, async () => (await readyReplicas(plane.client, name)) === 1);

  const { resourceVersion: known = '' } = (await plane.client.list(resources.works, { namespace: workSpace })).metadata;

  // The agent finds no server at the address that it knows. Another process serves the same store meanwhile.
  await end(plane);
  const store = await openEtcd({ endpoints: [etcd.endpoint], compactionIntervalMs: 0 });
  t.teardown(() => store.close());
  const left = await store.revision();
  const folder = await temporaryFolder(t);
  fs.cpSync(path.join(plane.directory, 'pki'), path.join(folder, 'data', 'pki'), { recursive: true });
  const elsewhere = await ControlPlane.start(t, args, folder);
  for (const name of changed)
    await elsewhere.client.patch(deployments, { namespace, name }, { type: 'merge', patch: { spec: { replicas: 3 } } });
  for (const name of deleted) await elsewhere.client.delete(deployments, { namespace, name });
  for (const name of added) await elsewhere.client.create(deployments, deployment(name, 2));
  await until('the Works have changed', async () => {
    const { items } = await elsewhere.client.list(resources.works, { namespace: workSpace });
    const has = (name: string) => items.some(({ metadata }) => metadata.name?.startsWith(`${name}-`));
    const leaving = items.filter(({ metadata }) => metadata.deletionTimestamp);
    const isChanged = items.filter(({ metadata: { generation = 1 } }) => generation > 1);
    return added.every(has) && leaving.length >= deleted.length && isChanged.length >= changed.length;
  });
  t.equal(await readyReplicas(member.client, 'changed0'), 1, 'nothing acts in the place of the agent');
  await end(elsewhere);
  await store.compact(await store.revision());
  await t.rejects(store.range('/', { at: left }), { code: 'compacted' });

  const before = await requests();
  const back = await ControlPlane.start(t, [...args, '--bind', new URL(plane.url).host], plane.folder);
  for (const [names, replicas] of [
    [same, 1],
    [changed, 3],
    [added, 2],
  ] as const)
    for (const name of names)
      await until(`${name} is right`, async () => (await readyReplicas(member.client, name)) === replicas);
  for (const name of deleted)
    await until(`${name} is deleted`, async () => (await readyReplicas(member.client, name)) === undefined);
  for (const [names, replicas] of [
    [changed, 3],
    [added, 2],
  ] as const)
    for (const name of names)
      await until(`the status of ${name} is back`, async () => (await readyReplicas(back.client, name)) === replicas);
  const watching = back.client.watch(
    resources.works,
    { namespace: workSpace, resourceVersion: known },
    new AbortController().signal,
  );
  await t.rejects(watching[Symbol.asyncIterator]().next(), { code: 410 }, 'what the watch of the agent was answered');
  const lists = sumOf(await metricsOf(back.client), 'apiserver_request_total', 'verb="LIST",group="work.karmada.io"');
  const sent = (await requests()) - before;
  const count = changed.length + deleted.length + added.length;
  t.comment(`${sent} requests for ${count} changes, ${lists} lists of Works`);
  t.ok(lists >= 1 && lists <= 5, `${lists} lists of Works`);
  t.equal(agent.child.exitCode, null);
  t.notMatch(agent.log, /leader election/, 'its controllers have not begun anew');
  t.ok(sent <= 20 * count, `${sent} requests for ${count} changes`);
  t.notMatch(agent.log, /forbidden/i);
  t.strictSame(await agent.end('SIGTERM'), [0, null]);
});
