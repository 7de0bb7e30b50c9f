/** Several processes of one control plane: each reaches a member through the tunnel that one of them has, also after that one was killed. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { connect } from '../../../aggregation/remote/connection.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { configMaps, nodes } from '../../../api/kubernetes/resources.js';
import { apiClient } from '../../conformance/call.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { temporaryFolder } from '../../storage/folder.js';
import { until } from '../../storage/until.js';
import { startBalancer } from '../balancer.js';
import { AgentProcess, ControlPlane, quick, startPulledMember } from './pull-mode.js';

const proxyPath = '/apis/cluster.karmada.io/v1alpha1/clusters/edge/proxy';
const namespace = 'default';

const endpointOf = ({ directory }: ControlPlane) => kubeconfigEndpoint(path.join(directory, 'kubeconfig'));
const works = (what: Promise<unknown>): Promise<boolean> => what.then(Boolean, () => false);

/** Returns a client of the member through the proxy of a process. */
function through(t: Test, plane: ControlPlane): RemoteClient {
  const endpoint = endpointOf(plane);
  const client = remote({ ...endpoint, server: endpoint.server + proxyPath }, { userAgent: 'test' });
  t.teardown(() => client.close());
  return client;
}

async function holds({ client }: ControlPlane): Promise<boolean> {
  const { body } = await client.raw({ method: 'GET', path: '/metrics' });
  return /^flagship_reverse_tunnel_open\{cluster="edge"\} 1$/m.test(body.toString());
}

/** Starts another process with the keys of the first one. */
async function startReplica(t: Test, args: readonly string[], { directory }: ControlPlane): Promise<ControlPlane> {
  const folder = await temporaryFolder(t);
  await until('all keys', () => fs.existsSync(path.join(directory, 'pki', 'sa.key')));
  fs.cpSync(path.join(directory, 'pki'), path.join(folder, 'data', 'pki'), { recursive: true });
  return ControlPlane.start(t, args, folder);
}

/** Starts the agent of the member `edge`, which reaches the control plane at a port only. It takes no lease, which it could lose on a slow machine. */
async function startAgent(t: Test, plane: ControlPlane, member: { readonly file: string }, port: number) {
  const file = await plane.admit('edge');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(new URL(plane.url).host, `127.0.0.1:${port}`));
  const sides = ['--karmada-kubeconfig', file, '--kubeconfig', member.file, '--cluster-name', 'edge'];
  const agent = new AgentProcess(t, [...sides, '--reverse-tunnel', '--leader-elect=false', ...quick]);
  await agent.registered();
  return agent;
}

/** Waits until a process of the control plane reaches the member. */
async function untilReached(t: Test, plane: ControlPlane, agent: AgentProcess): Promise<void> {
  const client = through(t, plane);
  let refusal: unknown;
  const isReached = () =>
    client.list(nodes).then(Boolean, (error: unknown) => {
      refusal = error;
      return false;
    });
  await agent.until(`the member is reached at ${plane.url}`, isReached).catch((error: unknown) => {
    throw new Error(`${String(error)}; the last answer: ${String(refusal)}`, { cause: error });
  });
}

t.test('replicas on one etcd: the one with the tunnel is killed', { skip: withoutEtcd }, async t => {
  const etcd = await startEtcd(t);
  const args = [`--etcd-servers=${etcd.endpoint}`];
  const a = await ControlPlane.start(t, args);
  const b = await startReplica(t, args, a);
  const balancer = await startBalancer(t);
  const balance = (plane: ControlPlane): void => {
    const server = apiClient(endpointOf(plane), 'balancer/1.0');
    t.teardown(() => server.close());
    balancer.add({ port: Number(new URL(plane.url).port), server });
  };
  [a, b].forEach(balance);
  const member = await startPulledMember(t, 'edge');
  const agent = await startAgent(t, a, member, balancer.port);
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
  await startAgent(t, plane, member, Number(new URL(plane.url).port));
  /** Reports whether the member is reached over new connections, which go to the workers in turn. */
  const reached = async (): Promise<boolean> => {
    for (let i = 0; i < 4; i++) {
      const connection = connect(endpointOf(plane), { userAgent: 'test', connections: 1, onlyHttp1: true });
      try {
        const { status } = await connection.request({ method: 'GET', path: `${proxyPath}/api/v1/nodes` });
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
