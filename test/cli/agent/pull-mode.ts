/** A control plane and agents as processes, and members in this process. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments, namespaces } from '../../../api/kubernetes/resources.js';
import { issueClient, loadAuthority } from '../../../authn/pki/authority.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { find } from '../../../client/find.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { silent } from '../../../server/logger.js';
import type { RunningServer } from '../../../server/start-server.js';
import { startMember } from '../../../simulator/member.js';
import { until } from '../../storage/until.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { rbac } from '../../aggregation/fleet.js';
import { start, up } from '../process.js';

const rbacVersion = 'rbac.authorization.k8s.io/v1';

/** Creates what `karmadactl register` creates for an agent. as pkg/karmadactl/register GenerateClusterRole and others */
async function grantAgent(plane: RemoteClient, name: string): Promise<void> {
  const space = `karmada-es-${name}`;
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `system:karmada:agent:${name}` }];
  const rule = (apiGroup: string, list: string, verbs: string, names?: readonly string[]) => ({
    ...{ apiGroups: [apiGroup], resources: list.split(' '), verbs: verbs.split(' ') },
    ...(names && { resourceNames: names }),
  });
  const grant = async (kind: 'ClusterRole' | 'Role', role: string, namespace: string, rules: object[]) => {
    const metadata = { name: role, ...(namespace && { namespace }) };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: role };
    const plural = `${kind.toLowerCase()}s`;
    await plane.create(rbac(plural), { apiVersion: rbacVersion, kind, metadata, rules });
    const binding = { apiVersion: rbacVersion, kind: `${kind}Binding`, metadata, subjects, roleRef };
    await plane.create(rbac(plural.replace(/s$/, 'bindings')), binding);
  };
  const labels = { 'karmada.io/system': 'true' };
  for (const namespace of ['karmada-cluster', space])
    if (!(await find(plane, namespaces, { name: namespace })))
      await plane.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
  await grant('ClusterRole', `system:karmada:${name}:agent`, '', [
    rule('cluster.karmada.io', 'clusters', 'get delete', [name]),
    rule('cluster.karmada.io', 'clusters', 'create list watch'),
    rule('cluster.karmada.io', 'clusters/status', 'update', [name]),
    rule('cluster.karmada.io', 'clusters/tunnel', 'create', [name]),
    rule(
      'config.karmada.io',
      'resourceinterpreterwebhookconfigurations resourceinterpretercustomizations',
      'get list watch',
    ),
    rule('', 'namespaces', 'get'),
    rule('coordination.k8s.io', 'leases', 'get create update'),
    rule('certificates.k8s.io', 'certificatesigningrequests', 'get create'),
    rule('', 'services', 'list watch'),
    rule('', 'events', 'patch create update'),
  ]);
  await grant('Role', `system:karmada:${name}:agent-secret`, 'karmada-cluster', [
    rule('', 'secrets', 'get patch', [name, `${name}-impersonator`]),
    rule('', 'secrets', 'create'),
  ]);
  await grant('Role', `system:karmada:${name}:agent-work`, space, [
    rule('work.karmada.io', 'works', 'get create list watch update delete'),
    rule('work.karmada.io', 'works/status', 'patch update'),
  ]);
}

/** A control plane as a process, with a folder for the kubeconfigs of agents. */
export class ControlPlane {
  readonly folder: string;
  readonly client: RemoteClient;
  readonly child: ChildProcess;
  readonly directory: string;
  readonly url: string;

  private constructor(folder: string, child: ChildProcess) {
    this.folder = folder;
    this.child = child;
    this.directory = path.join(folder, 'data');
    const endpoint = kubeconfigEndpoint(path.join(this.directory, 'kubeconfig'));
    this.url = endpoint.server;
    this.client = remote(endpoint, { userAgent: 'test' });
  }

  /** Starts it, on the data of an earlier one if its folder is given. */
  static async start(t: Test, args: readonly string[] = [], folder?: string): Promise<ControlPlane> {
    const where = folder ?? (await temporaryFolder(t));
    const { child } = await up(t, path.join(where, 'data'), ...args);
    const plane = new ControlPlane(where, child);
    t.teardown(() => plane.client.close());
    return plane;
  }

  /** Writes the kubeconfig of an agent, which has a client certificate and exactly the rights that Karmada gives agents. */
  async admit(cluster: string): Promise<string> {
    await grantAgent(this.client, cluster);
    return this.credential(cluster);
  }

  /** Writes a kubeconfig with a new certificate. */
  async credential(cluster: string, days = 365): Promise<string> {
    const read = (name: string): Promise<string> => fs.readFile(path.join(this.directory, 'pki', name), 'utf8');
    const authority = loadAuthority({ certificate: await read('ca.crt'), key: await read('ca.key') });
    const name = `system:karmada:agent:${cluster}`;
    const credential = await issueClient(authority, { name, groups: ['system:karmada:agents'] }, { days });
    const file = path.join(this.folder, `agent-${cluster}`);
    const text = kubeconfig([{ name, server: this.url, authority: authority.certificate, user: { credential } }]);
    await fs.writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /** Propagates a new Deployment to the cluster `edge`, and resolves when its status is back. Policies of other clusters must not select it. */
  async propagate(name: string, replicas: number): Promise<void> {
    await this.client.create(resources.propagationPolicies, policyFor('edge'));
    await this.client.create(deployments, deployment(name, replicas));
    await until('the status is back', async () => (await readyReplicas(this.client, name)) === replicas);
  }

  async cluster(name: string): Promise<Cluster | undefined> {
    return (await find(this.client, resources.clusters, { name })) as Cluster | undefined;
  }

  async readiness(name: string): Promise<string | undefined> {
    return findCondition((await this.cluster(name))?.status?.conditions, 'Ready')?.status;
  }
}

/** A member in this process, with a kubeconfig of its administrator. */
export async function startPulledMember(
  t: Test,
  name: string,
): Promise<{ readonly server: RunningServer; readonly file: string; readonly client: RemoteClient }> {
  const directory = await temporaryFolder(t);
  const server = await startMember({ name, directory, host: '127.0.0.1', log: silent });
  t.teardown(() => server.stop());
  const { pki, url } = server;
  const file = path.join(directory, 'config');
  const authority = pki.authority.certificate;
  const user = { credential: pki.admin };
  await fs.writeFile(file, kubeconfig([{ name, server: url, authority, user }]), { mode: 0o600 });
  const client = remote(kubeconfigEndpoint(file), { userAgent: 'test' });
  t.teardown(() => client.close());
  return { server, file, client };
}

/** An agent as a process. */
export class AgentProcess {
  readonly child: ChildProcess;
  #log = '';

  /** `through` is a command that runs the one after it. */
  constructor(t: Test, args: readonly string[], through: readonly string[] = []) {
    const probes = ['--health-probe-bind-address', '0', '--metrics-bind-address', '0'];
    this.child = start(t, ['agent', '--log-format', 'json', ...probes, ...args], undefined, through);
    this.child.stderr?.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
  }

  /** Starts the agent of the member `edge`, and resolves when the cluster is registered. */
  static async ofEdge(
    t: Test,
    plane: ControlPlane,
    member: { readonly file: string },
    args: readonly string[],
  ): Promise<AgentProcess> {
    const sides = ['--karmada-kubeconfig', await plane.admit('edge'), '--kubeconfig', member.file];
    const agent = new AgentProcess(t, [...sides, '--cluster-name', 'edge', ...quick, ...args]);
    await agent.registered();
    return agent;
  }

  get log(): string {
    return this.#log;
  }

  /** Resolves when the cluster is registered; rejects with the log if the agent ends before. */
  registered(): Promise<void> {
    return this.until('it is registered', () => this.#log.includes('is registered'));
  }

  /** Waits for a condition that the running agent fulfils. Rejects with its log if it ends before, or if the condition does not become true. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const hasEnded = (): boolean => this.child.exitCode !== null || this.child.signalCode !== null;
    try {
      await until(what, async () => hasEnded() || (await holds()));
    } catch (error) {
      throw new Error(`${String(error)}; the log of the agent: ${this.#log}`, { cause: error });
    }
    if (hasEnded()) throw new Error(`${what}: the agent has ended: ${this.#log}`);
  }

  /** Sends a signal. Resolves with the exit status and the signal that has ended it. */
  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    return exited;
  }
}

/** Intervals that let a test see changes soon. */
export const quick = [
  ...['--cluster-status-update-frequency', '500ms', '--cluster-lease-duration', '2s'],
  ...[
    '--leader-elect-lease-duration',
    '9s',
    '--leader-elect-renew-deadline',
    '8s',
    '--leader-elect-retry-period',
    '500ms',
  ],
];

export const deployment = (name: string, replicas: number): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
  spec: {
    ...{ replicas, selector: { matchLabels: { app: name } } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

/** Propagates the Deployments of the namespace `default` to these clusters. */
export const policyFor = (...clusterNames: readonly string[]): KubeObject => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  metadata: { name: 'all', namespace: 'default' },
  spec: {
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
    placement: { clusterAffinity: { clusterNames } },
  },
});

export async function readyReplicas(client: RemoteClient, name: string): Promise<number | undefined> {
  const found = await find(client, deployments, { namespace: 'default', name });
  return (found?.['status'] as { readyReplicas?: number } | undefined)?.readyReplicas;
}
