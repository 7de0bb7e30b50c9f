/**
 * An agent and its member in a network namespace that nothing outside can connect to: the member listens on the loopback of the namespace only, and the
 * agent does not listen. What crosses the link are connections of the agent to the control plane.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { object } from '../../aggregation/fleet.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { plainNode } from '../../../tools/plain-node.js';
import { until } from '../../storage/until.js';
import { programCommand } from '../program-command.js';
import { needsNetworkNamespaces, NetworkNamespace } from './network-namespace.js';
import { AgentProcess, ControlPlane, deployment, policyFor, readyReplicas } from './pull-mode.js';

const memberProgram = fileURLToPath(new URL('./member-process.js', import.meta.url));
const karmadactlProgram = fileURLToPath(new URL('../../../cli/karmadactl.js', import.meta.url));
const karmadactl = programCommand('karmadactl');
const searchPath = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';
const proxyPath = '/apis/cluster.karmada.io/v1alpha1/clusters/edge/proxy';
const metricsPort = 18_080; // the loopback of the namespace is its own
const namespace = 'default';
const template = (name: string) => ({ namespace, name });

/** Deployments that are created while the link is down. */
const missed = Array.from({ length: 40 }, (_, i) => `missed${i}`);

/** They, and `web`, which is scaled there and deleted in the member. */
const changes = missed.length + 2;

interface Member {
  readonly kubeconfig: string;
  readonly port: number;
}

/** Starts a member in the namespace. */
async function startMemberIn(t: Test, space: NetworkNamespace): Promise<Member> {
  const directory = await temporaryFolder(t);
  const [command = '', ...args] = [...space.command, ...plainNode, memberProgram, directory];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const [kubeconfig = '', port] = line.toString().trim().split(' ');
  return { kubeconfig, port: Number(port) };
}

/** An agent, a member and a namespace, as the test sees them. */
class Edge {
  readonly space: NetworkNamespace;
  readonly member: Member;

  constructor(space: NetworkNamespace, member: Member) {
    this.space = space;
    this.member = member;
  }

  /** Runs kubectl against the member, within the namespace. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { code, out } = await this.space.run('kubectl', '--kubeconfig', this.member.kubeconfig, ...args);
    if (code !== 0) throw new Error(out);
    return out;
  }

  /** Registers the cluster, and returns the file with the kubeconfig of its agent. */
  async register(t: Test, plane: ControlPlane): Promise<string> {
    const admin = path.join(plane.directory, 'kubeconfig');
    const { stdout } = await karmadactl('token', 'create', '--kubeconfig', admin, '--print-register-command');
    const [, ...command] = stdout.trim().split(' ');
    const registered = await this.space.run(
      ...[...plainNode, karmadactlProgram, ...command, '--kubeconfig', this.member.kubeconfig],
      ...['--cluster-name', 'edge', '--cert-expiration-seconds', '600'],
    );
    t.equal(registered.code, 0, registered.out);
    const file = path.join(plane.folder, 'agent');
    await fs.writeFile(file, await this.credentials(), { mode: 0o600 });
    return file;
  }

  /** Returns the kubeconfig of the agent, which has its present certificate. */
  async credentials(): Promise<Buffer> {
    const jsonPath = 'jsonpath={.data.karmada-kubeconfig}';
    return Buffer.from(
      await this.kubectl('-n', 'karmada-system', 'get', 'secret', 'karmada-kubeconfig', '-o', jsonPath),
      'base64',
    );
  }

  /** Returns the number of requests that the agent has sent to the control plane, with and without an answer. */
  async requests(): Promise<number> {
    const script = `fetch('http://127.0.0.1:${metricsPort}/metrics').then(r => r.text()).then(console.log)`;
    const { out } = await this.space.run(...plainNode, '-e', script);
    let sum = 0;
    for (const line of out.split('\n')) {
      const [, labels, count] = /^rest_client_requests_total\{(.*)\} (\d+)$/.exec(line) ?? [];
      if (labels?.includes(`host="${this.space.outside}:`)) sum += Number(count);
    }
    return sum;
  }
}

/** Returns whether a connection to an address can be opened. */
function connects(host: string, port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect({ host, port });
    socket
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false))
      .on('close', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** Uses the member from outside by kubectl and search. */
async function worksFromOutside(t: Test, plane: ControlPlane): Promise<void> {
  const file = path.join(plane.directory, 'kubeconfig');
  const kubectl = kubectlFor(t, { kubeconfig: file, directory: plane.folder });
  const inMember = (args: string) => kubectl(`--server=${plane.url}${proxyPath} ${args}`);
  await until('the proxy works', async () => (await inMember('get pods')).code === 0);
  t.match(await inMember('get pods'), { code: 0, out: /^web-\S+ .*Running/m });
  t.match(await inMember('logs deployment/web --tail=1'), { code: 0, out: /started/ });
  t.match(await inMember('exec deployment/web -- echo hi'), { code: 0, out: 'hi\n' });
  const endpoint = kubeconfigEndpoint(file);
  const search = remote({ ...endpoint, server: endpoint.server + searchPath }, { userAgent: 'test' });
  t.teardown(() => search.close());
  await until('search has the Deployment', () =>
    find(search, deployments, template('web')).then(
      found => found !== undefined,
      () => false,
    ),
  );
}

t.test(
  'an agent without incoming connections, and a link that is down for a while',
  { skip: needsNetworkNamespaces.skip || needsKubectl.skip, timeout: 600_000 },
  async t => {
    const space = await NetworkNamespace.make(t);
    const grace = ['--cluster-monitor-grace-period', '15s'];
    const plane = await ControlPlane.start(t, ['--bind', `${space.outside}:0`, ...grace]);
    const edge = new Edge(space, await startMemberIn(t, space));
    const file = await edge.register(t, plane);
    const agent = new AgentProcess(
      t,
      [
        ...['--karmada-kubeconfig', file, '--kubeconfig', edge.member.kubeconfig, '--cluster-name', 'edge'],
        ...['--reverse-tunnel', '--metrics-bind-address', `127.0.0.1:${metricsPort}`],
        ...['--controllers', '*,certRotation', '--cert-rotation-checking-interval', '5s'],
        ...['--cert-rotation-remaining-time-threshold', '0.95'],
      ],
      space.command,
    );
    await agent.registered();
    for (const [host, port] of [
      [space.inside, edge.member.port],
      [space.inside, metricsPort],
      ['127.0.0.1', edge.member.port],
    ] as const)
      t.notOk(await connects(host, port), `${host}:${port} cannot be connected from outside`);

    const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] };
    const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec });
    await plane.client.create(resources.resourceRegistries, registry);
    await plane.client.create(resources.propagationPolicies, policyFor('edge'));
    await plane.client.create(deployments, deployment('web', 2));
    await until('the status is back', async () => (await readyReplicas(plane.client, 'web')) === 2);
    await worksFromOutside(t, plane);

    const tunnelIs = (value: number) => async (): Promise<boolean> => {
      const { body } = await plane.client.raw({ method: 'GET', path: '/metrics' });
      return body.toString().includes(`\nflagship_reverse_tunnel_open{cluster="edge"} ${value}\n`);
    };
    const credentials = await edge.credentials();
    const before = await edge.requests();
    const began = performance.now();
    await space.setLink('down');
    for (const name of missed) await plane.client.create(deployments, deployment(name, 1));
    await plane.client.patch(deployments, template('web'), { type: 'merge', patch: { spec: { replicas: 3 } } });
    await edge.kubectl('delete', 'deployment', 'web');
    await until('the tunnel is closed', tunnelIs(0));
    await until('the cluster is not ready', async () => (await plane.readiness('edge')) === 'Unknown');
    await until('the agent has lost the lead', () => agent.log.includes('leader election lost'));
    await space.setLink('up');
    for (const name of [...missed, 'web'])
      await until(
        `${name} is there`,
        async () => (await readyReplicas(plane.client, name)) === (name === 'web' ? 3 : 1),
      );
    await until('the cluster is ready', async () => (await plane.readiness('edge')) === 'True');
    await until('the certificate is replaced', async () => !(await edge.credentials()).equals(credentials));
    const after = await edge.requests();
    await worksFromOutside(t, plane);
    t.ok(await tunnelIs(1)());

    const seconds = (performance.now() - began) / 1000;
    const sent = after - before;
    // The agent reads each changed Work once, and writes a few statuses and events. It renews its Leases, and tries again while the link is down.
    t.ok(sent <= 20 * changes + 2 * seconds + 100, `${sent} requests for ${changes} changes in ${seconds} s`);
    t.notMatch(agent.log, /forbidden/i);
    t.strictSame(await agent.end('SIGTERM'), [0, null]);
  },
);
