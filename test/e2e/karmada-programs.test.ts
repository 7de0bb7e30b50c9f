/**
 * Flagship with programs of the Karmada project: its estimators and scheduler, its agent and karmadactl. KARMADA_PROGRAMS names the folder in
 * which they are, by their names: karmada-scheduler-estimator, karmada-scheduler, karmada-agent, karmadactl.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import { freePorts } from '../../tools/etcd.js';
import { startFlagship } from '../../tools/flagship.js';
import { plainNode } from '../../tools/plain-node.js';
import { temporaryFolder } from '../apiserver/running.js';
import { start } from '../cli/process.js';
import { root } from '../docs/documents.js';
import { until } from '../storage/until.js';
import { askOf, kubectlFor } from './kubectl.js';

const folder = process.env['KARMADA_PROGRAMS'];
const options = { skip: folder === undefined && 'KARMADA_PROGRAMS is not set', timeout: 300_000 };
const noServers = ['--health-probe-bind-address=0', '--metrics-bind-address=0'];

/** Starts a program of Karmada. What it has written is printed if it ends before the test. */
function program(t: Test, name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(path.join(folder ?? '', name), args, { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-5000)));
  let isStopped = false;
  child.once('exit', code => {
    if (!isStopped && code !== 0) t.fail(`${name} has ended with ${code}: ${output}`);
  });
  t.teardown(() => {
    isStopped = true;
    child.kill('SIGKILL');
  });
  return child;
}

/** Runs karmadactl to its end, and returns what it has written. */
async function karmadactl(t: Test, ...args: readonly string[]): Promise<string> {
  const child = program(t, 'karmadactl', args);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  t.equal(code, 0, `karmadactl ${args[0]}`);
  return output;
}

/** A control plane with kubectl. `kubeconfigOf` writes a kubeconfig with one context. */
async function scene(t: Test, ...flags: readonly string[]) {
  const directory = await temporaryFolder(t);
  const server = await startFlagship(flags, plainNode, directory);
  t.teardown(() => server.stop());
  const kubectl = kubectlFor(t, { directory, kubeconfig: server.kubeconfig });
  const ask = askOf(kubectl);
  const kubeconfigOf = async (context: string): Promise<string> => {
    const file = path.join(directory, `${context}.kubeconfig`);
    await fs.writeFile(file, await ask(`config view --raw --minify --flatten --context ${context}`), { mode: 0o600 });
    return file;
  };
  const comesTo = (args: string, expected: string): Promise<void> =>
    until(`${args} is ${expected}`, async () => (await kubectl(args)).out.trim() === expected);
  return { ask, comesTo, kubeconfigOf, kubeconfig: server.kubeconfig, directory };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const members = ['member1', 'member2'];

/** Starts an estimator for each member, and tells the control plane where they are. */
async function withEstimators(
  { ask, kubeconfigOf }: Scene,
  startEstimator: (args: readonly string[]) => ChildProcess,
): Promise<void> {
  const ports = await freePorts(members.length);
  for (const [i, name] of members.entries()) {
    const port = ports[i] ?? 0;
    const kubeconfig = await kubeconfigOf(name);
    startEstimator(['--kubeconfig', kubeconfig, '--cluster-name', name, '--server-port', `${port}`, ...noServers]);
    const metadata = { name: `karmada-scheduler-estimator-${name}`, namespace: 'karmada-system' };
    const spec = { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 10352, targetPort: port }] };
    await ask('apply -f -', JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata, spec }));
  }
}

/** Labels the nodes of one member for a workload that selects nodes by this label, and expects its replicas there. */
async function expectFollowsNodes({ ask, comesTo }: Scene): Promise<void> {
  await ask('--context member2 label nodes --all disk=ssd');
  await ask(`apply -f ${path.join(root, 'examples', 'estimators')}`);
  const targets =
    "get resourcebinding picky-deployment -o jsonpath='{.spec.clusters[*].name}:{.spec.clusters[*].replicas}'";
  await comesTo(targets, 'member2:2');
  await comesTo("get deployment picky -o jsonpath='{.status.readyReplicas}'", '2');
}

t.test('the scheduler asks karmada-scheduler-estimator', options, async t => {
  // Without estimates in the process, nothing but these estimators knows of the label.
  const flags = ['--enable-scheduler-estimator', '--in-process-scheduler-estimator=false'];
  const now = await scene(t, '--members', '2', ...flags);
  await withEstimators(now, args => program(t, 'karmada-scheduler-estimator', args));
  await expectFollowsNodes(now);
});

t.test('karmada-scheduler asks `flagship scheduler-estimator`', options, async t => {
  const now = await scene(t, '--members', '2', '--controllers=*,-scheduler');
  await withEstimators(now, args => start(t, ['scheduler-estimator', ...args]));
  const kubeconfig = await now.kubeconfigOf('karmada-apiserver');
  program(t, 'karmada-scheduler', ['--kubeconfig', kubeconfig, '--enable-scheduler-estimator', ...noServers]);
  await expectFollowsNodes(now);
});

t.test('karmadactl registers a cluster, karmada-agent serves it, and karmadactl removes it', options, async t => {
  const now = await scene(t);
  const edge = await scene(t, '--members', '1');
  await edge.ask('delete cluster member1');
  const member = await edge.kubeconfigOf('member1');
  const karmada = ['--kubeconfig', now.kubeconfig];
  const command = await karmadactl(t, 'token', 'create', '--print-register-command', ...karmada);
  const [, , ...registration] = command.trim().split(' ');
  await karmadactl(t, 'register', ...registration, '--kubeconfig', member, '--cluster-name', 'edge');
  const inMember = (args: string): Promise<string> => edge.ask(`--context member1 ${args}`);
  const secret = await inMember(
    "get secret karmada-kubeconfig -n karmada-system -o jsonpath='{.data.karmada-kubeconfig}'",
  );
  const file = path.join(now.directory, 'agent.kubeconfig');
  await fs.writeFile(file, Buffer.from(secret, 'base64'), { mode: 0o600 });
  const endpoint = await inMember("config view --minify --context member1 -o jsonpath='{.clusters[0].cluster.server}'");
  const agent = ['--karmada-kubeconfig', file, '--cluster-name', 'edge', '--cluster-api-endpoint', endpoint];
  program(t, 'karmada-agent', [...agent, ...noServers], { KUBECONFIG: member });
  const ready = 'jsonpath=\'{.status.conditions[?(@.type=="Ready")].status}\'';
  await now.comesTo(`get cluster edge -o ${ready}`, 'True');
  await now.ask('label cluster edge tier=edge');
  const example = path.join(root, 'examples', 'pull-mode');
  await now.ask(`apply -f ${path.join(example, 'deployment.yaml')} -f ${path.join(example, 'policy.yaml')}`);
  await now.comesTo("get deployment near -o jsonpath='{.status.readyReplicas}'", '2');
  await karmadactl(t, 'unregister', 'edge', '--cluster-kubeconfig', member, '--karmada-config', now.kubeconfig);
  t.equal(await now.ask('get clusters -o name'), '');
  t.equal(await now.ask('get works -A -o name'), '');
  t.equal(await inMember('get deployments -A -o name'), '');
});
