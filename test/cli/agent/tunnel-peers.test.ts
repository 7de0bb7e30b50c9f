/** Several processes of one control plane: each reaches a member through the tunnel that one of them has, also after that one was killed. */
import { once } from 'node:events';
import fs from 'node:fs';
import t from 'tap';
import { connect } from '../../../aggregation/remote/connection.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { until } from '../../storage/until.js';
import { startBalancer } from '../balancer.js';
import { ControlPlane, startPulledMember } from './pull-mode.js';
import {
  balance,
  endpointOf,
  holds,
  proxyPath,
  startAgent,
  startReplica,
  through,
  untilReached,
} from './tunnel-processes.js';

const namespace = 'default';

const works = (what: Promise<unknown>): Promise<boolean> => what.then(Boolean, () => false);

t.test('replicas on one etcd: the one with the tunnel is killed', { skip: withoutEtcd }, async t => {
  const etcd = await startEtcd(t);
  const args = [`--etcd-servers=${etcd.endpoint}`];
  const a = await ControlPlane.start(t, args);
  const b = await startReplica(t, args, a);
  const balancer = await startBalancer(t);
  for (const plane of [a, b]) balance(t, balancer, plane);
  const member = await startPulledMember(t, 'edge');
  const agent = await startAgent(t, { plane: a, member, port: balancer.port });
  for (const plane of [a, b]) await untilReached(t, plane, agent);
  t.notSame(await holds(a), await holds(b), 'one of them has the tunnel');
  const [holder, other] = (await holds(a)) ? [a, b] : [b, a];

  const client = through(t, other);
  const seen: string[] = [];
  const { metadata } = await client.list(configMaps, { namespace });
  const watching = (async () => {
    const query = { namespace, resourceVersion: metadata.resourceVersion ?? '' };
    for await (const { object } of client.watch(configMaps, query, new AbortController().signal))
      seen.push(object.metadata.name ?? '');
  })().catch(() => undefined);
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen', namespace } };
  await member.client.create(configMaps, configMap);
  await until('the event has come through both processes', () => seen.includes('seen'));

  const exited = once(holder.child, 'exit');
  holder.child.kill('SIGKILL');
  await exited;
  await watching;
  await agent.until('the member is reached again', () => works(client.get(configMaps, { namespace, name: 'seen' })));
  t.ok(await holds(other), 'the agent has opened its tunnel to the other process');
  const c = await startReplica(t, args, other);
  await untilReached(t, c, agent);
  t.notOk(await holds(c));
});

const skip = fs.existsSync('/proc/self/task') ? false : 'there is no /proc to find child processes in';

t.test('workers: each of them is killed in turn, and the process with the store estimates', { skip }, async t => {
  const plane = await ControlPlane.start(t, ['--workers=2', '--enable-scheduler-estimator']);
  const member = await startPulledMember(t, 'edge');
  await startAgent(t, { plane, member, port: Number(new URL(plane.url).port) });
  /** Reports whether the member is reached over new connections, which go to the workers in turn. */
  const reached = async (): Promise<boolean> => {
    for (let i = 0; i < 4; i++) {
      const connection = connect(endpointOf(plane), { userAgent: 'test', connections: 1, onlyHttp1: true });
      try {
        const { status } = await connection.request({ method: 'GET', path: `${proxyPath('edge')}/api/v1/nodes` });
        if (status !== 200) return false;
      } finally {
        await connection.close();
      }
    }
    return true;
  };
  const settled = (): Promise<boolean> => works(reached().then(all => all || undefined));
  await until('all workers reach the member', settled);
  await until('the process with the store reaches it', async () => {
    const { body } = await plane.client.raw({
      ...{ method: 'POST', path: '/apis/cluster.karmada.io/v1alpha1/clusters/*/estimates' },
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ clusters: ['edge'], resource: { kind: 'Deployment', name: 'x' } })),
    });
    const { estimates } = JSON.parse(body.toString()) as { estimates?: Record<string, number> };
    return (estimates?.['edge'] ?? -1) >= 0;
  });
  const pid = plane.child.pid ?? 0;
  const workers = (): number[] =>
    fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const worker of workers()) {
    process.kill(worker, 'SIGKILL');
    await until('it is replaced', () => workers().length === 2 && !workers().includes(worker));
    await until('all workers reach the member again', settled);
  }
});
