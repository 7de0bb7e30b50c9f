/** Several processes of one control plane, and agents with reverse tunnels to them. */
import fs from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import type { Endpoint, RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { nodes } from '../../../api/kubernetes/resources.js';
import { apiClient } from '../../conformance/call.js';
import { temporaryFolder } from '../../storage/folder.js';
import { until } from '../../storage/until.js';
import type { Balancer } from '../balancer.js';
import { AgentProcess, ControlPlane, quick } from './pull-mode.js';

export const proxyPath = (cluster: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy`;

export const endpointOf = ({ directory }: ControlPlane): Endpoint =>
  kubeconfigEndpoint(path.join(directory, 'kubeconfig'));

/** Returns a client of a member through the proxy of a process. */
export function through(t: Test, plane: ControlPlane, cluster = 'edge'): RemoteClient {
  const endpoint = endpointOf(plane);
  const client = remote({ ...endpoint, server: endpoint.server + proxyPath(cluster) }, { userAgent: 'test' });
  t.teardown(() => client.close());
  return client;
}

/** Returns whether a process has the tunnel of a cluster. */
export async function holds({ client }: ControlPlane, cluster = 'edge'): Promise<boolean> {
  const { body } = await client.raw({ method: 'GET', path: '/metrics' });
  return body.toString().split('\n').includes(`flagship_reverse_tunnel_open{cluster="${cluster}"} 1`);
}

/** Starts another process with the keys of the first one. */
export async function startReplica(
  t: Test,
  args: readonly string[],
  { directory }: ControlPlane,
): Promise<ControlPlane> {
  const folder = await temporaryFolder(t);
  await until('all keys', () => fs.existsSync(path.join(directory, 'pki', 'sa.key')));
  fs.cpSync(path.join(directory, 'pki'), path.join(folder, 'data', 'pki'), { recursive: true });
  return ControlPlane.start(t, args, folder);
}

/** Lets a balancer use a process. */
export function balance(t: Test, balancer: Balancer, plane: ControlPlane): void {
  const server = apiClient(endpointOf(plane), 'balancer/1.0');
  t.teardown(() => server.close());
  balancer.add({ port: Number(new URL(plane.url).port), server });
}

interface StartedAgent {
  readonly plane: ControlPlane;
  readonly member: { readonly file: string };
  /** Where it reaches the control plane. */
  readonly port: number;
  readonly cluster?: string;
}

/** Starts the agent of a member, which reaches the control plane at one port only. It takes no lease, which it could lose on a slow machine. */
export async function startAgent(
  t: Test,
  { plane, member, port, cluster = 'edge' }: StartedAgent,
): Promise<AgentProcess> {
  const file = await plane.admit(cluster);
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(new URL(plane.url).host, `127.0.0.1:${port}`));
  const sides = ['--karmada-kubeconfig', file, '--kubeconfig', member.file, '--cluster-name', cluster];
  const agent = new AgentProcess(t, [...sides, '--reverse-tunnel', '--leader-elect=false', ...quick]);
  await agent.registered();
  return agent;
}

/** Waits until a process of the control plane reaches a member. */
export async function untilReached(t: Test, plane: ControlPlane, agent: AgentProcess, cluster = 'edge'): Promise<void> {
  const client = through(t, plane, cluster);
  let refusal: unknown;
  const isReached = () =>
    client.list(nodes).then(Boolean, (error: unknown) => {
      refusal = error;
      return false;
    });
  await agent.until(`${cluster} is reached at ${plane.url}`, isReached).catch((error: unknown) => {
    throw new Error(`${String(error)}; the last answer: ${String(refusal)}`, { cause: error });
  });
}
