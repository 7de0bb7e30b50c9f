/** What an operator sees: the log of real processes, and the Events that go with it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { plainNode } from '../../tools/plain-node.js';
import { temporaryFolder } from '../apiserver/running.js';
import { needsKubectl } from '../e2e/kubectl.js';
import { until } from '../storage/until.js';
import { exampleFolders, execute, waitForLine, type UpProcess, startUp, summaryOf } from './up-process.js';
import { run, start } from './process.js';

const karmadactl = fileURLToPath(new URL('../../cli/karmadactl.js', import.meta.url));

interface Event {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

async function eventsOf(server: UpProcess): Promise<Event[]> {
  return (JSON.parse(await server.kubectl('get', 'events', '-A', '-o', 'json')) as { items: Event[] }).items;
}

const aboutCluster = async (server: UpProcess, name: string): Promise<Event[]> =>
  (await eventsOf(server)).filter(({ involvedObject: { kind, name: own } }) => kind === 'Cluster' && own === name);

/** Returns the manifests of a namespace, its objects and the policy for it, which are applied together: members get them in any order. */
function shop(name: string): string {
  const metadata = (of: string): object => ({ name: of, namespace: name });
  const things = Array.from({ length: 5 }, (_, i) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(`c${i}`), data: { a: 'b' } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(`web${i}`),
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'w', image: 'nginx' }] },
        },
      },
    },
  ]).flat();
  const policy = {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: metadata('all'),
    spec: {
      resourceSelectors: [
        { apiVersion: 'apps/v1', kind: 'Deployment' },
        { apiVersion: 'v1', kind: 'ConfigMap' },
      ],
      placement: { clusterAffinity: { clusterNames: ['member1', 'member2'] } },
    },
  };
  const items = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, policy, ...things];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

t.test('in normal operation nothing is logged at warn, and no Warning Event is written', needsKubectl, async t => {
  const server = await startUp(t, await temporaryFolder(t), '--members', '2');
  await waitForLine(server, 'member joined', 2);
  await server.kubectl('label', 'cluster', 'member2', 'tier=edge');
  for (const [i, rack] of ['a', 'b'].entries())
    await server.kubectl('label', 'cluster', `member${i + 1}`, `example.com/rack=${rack}`);
  await server.kubectl('create', 'deployment', 'nginx', '--image=nginx', '--replicas=4');
  // Nothing in this one has room in the members: it shows how that is explained.
  const folders = (await exampleFolders()).filter(folder => path.basename(folder) !== 'explain');
  for (const folder of folders) await server.kubectl('apply', '-f', folder);
  const shops = ['shop1', 'shop2', 'shop3'];
  await Promise.all(shops.map(name => execute('kubectl', ['apply', '-f', '-'], server.kubeconfig, shop(name))));
  await until('all Works are applied', async () => {
    const query = 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Applied")].status}{"\\n"}{end}';
    const applied = (await server.kubectl('get', 'works', '-A', '-o', query)).split('\n').slice(0, -1);
    return applied.length > 60 && applied.every(status => status === 'True');
  });
  for (const folder of folders) await server.kubectl('delete', '-f', folder);
  await server.kubectl('delete', 'namespace', ...shops);
  t.strictSame(
    (await eventsOf(server)).filter(({ type }) => type !== 'Normal'),
    [],
  );
  await server.end('SIGTERM');
  const lines = server.lines();
  t.strictSame(
    lines.filter(({ level }) => level !== 'info'),
    [],
  );
  t.strictSame(summaryOf(lines.filter(({ msg }) => msg !== 'member joined' && msg !== 'ready')), [
    ['info', 'listening'],
    ['info', 'stopping'],
    ['info', 'stopped'],
  ]);
  const address = `https://127.0.0.1:${server.port}`;
  t.match(lines[0], { version: String, node: process.version, address, storage: 'embedded', members: 2 });
  const ready = lines.find(({ msg }) => msg === 'ready');
  t.match(ready, { kubeconfig: server.kubeconfig, milliseconds: Number });
  t.match(lines.at(-2), { signal: 'SIGTERM' });
  t.match(lines.at(-1), { milliseconds: Number });
});

const quick = [
  ['--cluster-status-update-frequency', '200ms'],
  ['--cluster-failure-threshold', '1s'],
  ['--cluster-success-threshold', '1s'],
].flat();

t.test('an unreachable member is logged once, and once when it is back', needsKubectl, async t => {
  const memberFolder = await temporaryFolder(t);
  const member = await startUp(t, memberFolder);
  const server = await startUp(t, await temporaryFolder(t), ...quick);
  const join = ['join', 'edge', '--kubeconfig', server.kubeconfig, '--cluster-kubeconfig', member.kubeconfig];
  const [node, ...options] = plainNode;
  await execute(node, [...options, karmadactl, ...join], server.kubeconfig);
  await waitForLine(server, 'member joined');
  await server.kubectl('create', 'configmap', 'before');
  const before = server.lines().length;

  await member.end('SIGKILL');
  const silent = await waitForLine(server, 'member is silent');
  t.match(silent, { level: 'warn', cluster: 'edge', reason: 'ClusterNotReachable', since: /^\d{4}-.*Z$/ });
  t.match(silent['cause'], /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
  await server.kubectl('create', 'namespace', 'meanwhile'); // its Work cannot be applied
  await until('the taint', async () =>
    (await server.kubectl('get', 'cluster', 'edge', '-o', 'jsonpath={.spec.taints[*].key}')).includes('not-ready'),
  );

  const again = ['--bind', `127.0.0.1:${member.port}`];
  await startUp(t, memberFolder, ...again);
  t.match(await waitForLine(server, 'member is back'), { level: 'info', cluster: 'edge', silentSeconds: Number });
  t.strictSame(summaryOf(server.lines().slice(before)), [
    ['warn', 'member is silent'],
    ['info', 'member is back'],
  ]);
  await until('the Events', async () => (await aboutCluster(server, 'edge')).some(e => e.reason === 'ClusterReady'));
  const events = await aboutCluster(server, 'edge');
  t.match(
    events.find(({ reason }) => reason === 'ClusterNotReachable'),
    { type: 'Warning', message: /^cluster is not reachable since \S+Z: connect ECONNREFUSED/ },
  );
  t.match(events.find(({ reason }) => reason === 'ClusterReady')?.message, /^cluster is healthy again; .* seconds$/);

  await server.kubectl('delete', 'cluster', 'edge');
  await waitForLine(server, 'member unjoined');
});

const spread = JSON.stringify({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'both' },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'kept' }],
    placement: { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 2, maxGroups: 2 }] },
  },
});

t.test('a cluster that cannot be removed reports why, and can join again after its removal', needsKubectl, async t => {
  const directory = await temporaryFolder(t);
  const first = await startUp(t, directory, '--members', '2');
  await waitForLine(first, 'member joined', 2);
  await first.kubectl('create', 'configmap', 'kept');
  await execute('kubectl', ['apply', '-f', '-'], first.kubeconfig, spread);
  await until('it is placed', async () =>
    (await first.kubectl('get', 'rb', '-o', 'jsonpath={.items[*].spec.clusters[*].name}')).includes('member1'),
  );
  await first.kubectl('delete', 'cluster', 'member1', '--wait=false');
  const waits = async (): Promise<string> =>
    (await aboutCluster(first, 'member1'))
      .filter(({ reason }) => reason === 'RemoveClusterWaiting')
      .map(({ message }) => message)
      .join('\n');
  await until('the Event with the reason', async () => (await waits()).includes('MinGroups'));
  t.match(await waits(), /waits for 1 binding with it as a target \(ResourceBinding default\/kept-configmap\); /);
  await first.end('SIGTERM');
  t.strictSame(
    first.lines().filter(({ level }) => level !== 'info'),
    [],
  );

  // A cluster that is not ready at its first observation would become ready only after half a minute.
  const short = ['--cluster-success-threshold=3s', '--cluster-status-update-frequency=1s'];
  const second = await startUp(t, directory, '--members', '2', ...short);
  t.match(await waitForLine(second, 'member joins again when its earlier removal is done'), { cluster: 'member1' });
  await second.kubectl('delete', 'configmap', 'kept');
  await waitForLine(second, 'member unjoined');
  t.match(await waitForLine(second, 'member joined'), { cluster: 'member1' });
  await second.end('SIGTERM');
});

t.test('flags choose the format and the level of the log', async t => {
  const directory = await temporaryFolder(t);
  const wrong = await run(t, 'up', '--data-dir', directory, '--log-format', 'jsn');
  t.match(wrong, { code: 1, err: /^flagship: invalid value "jsn" for --log-format: .*; did you mean json\?\n/ });
  t.match(await run(t, 'up', '--data-dir', directory, '--cluster-status-update-frequency', '0s'), {
    code: 1,
    err: /at least 100ms/,
  });

  const quiet = await startUp(t, directory, '--log-level', 'warn');
  await quiet.end('SIGTERM');
  t.strictSame(quiet.lines(), []);

  const pretty = start(t, ['up', '--data-dir', directory, '--bind', '127.0.0.1:0', '--log-format', 'pretty']);
  let output = '';
  pretty.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until('it is ready', () => output.includes('ready'));
  pretty.kill('SIGTERM');
  await once(pretty, 'close');
  t.match(output, /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO \(\d+\): listening \{"version":/);
  t.match(output, /INFO: stopped \{"milliseconds":\d+\}\n$/);
});

const hasScript = spawnSync('script', ['--version']).status === 0;

t.test('on a terminal the log is human-readable', { skip: hasScript ? false : 'script is not installed' }, async t => {
  const directory = await temporaryFolder(t);
  const [node, ...options] = plainNode;
  const entry = fileURLToPath(new URL('../../cli/flagship.js', import.meta.url));
  const command = [node, ...options, entry, 'up', '--data-dir', directory, '--bind', '127.0.0.1:0'].join(' ');
  const child = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until('it is ready', () => output.includes('kubectl get clusters'));
  child.stdin.write('\u0003'); // Ctrl-C
  await once(child, 'close');
  t.match(
    output.replaceAll(/\u001b\[\d*m/g, ''),
    /INFO \(\d+\): listening \{"version"[^]*INFO: stopped \{"milliseconds"/,
  );
});
