/** The typical work of an operator: the whole log of a real process, from its first start to its last stop. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../apiserver/running.js';
import { exampleFolders, execute, waitForLine, type Line, type UpProcess, startUp } from '../cli/up-process.js';
import { run } from '../cli/process.js';
import { noMounts, type SmallDisk, smallDisk } from '../small-disk.js';
import { until } from '../storage/until.js';
import { needsKubectl } from './kubectl.js';

/** Flags with short intervals for the status of members. */
const quick = [
  ['--cluster-status-update-frequency', '200ms'],
  ['--cluster-failure-threshold', '1s'],
  ['--cluster-success-threshold', '1s'],
].flat();

/** Returns the constant fields of a line. */
const summaryOf = ({ level, msg, cluster, reason, signal }: Line): string =>
  [level, msg, cluster, reason, signal].filter(part => part !== undefined).join(', ');

/** Returns the summaries of all lines. The first `ofStart` lines after `listening` have no fixed order, and are sorted. */
const summariesOf = (lines: readonly Line[], ofStart: number): string[] => {
  const [first = '', ...rest] = lines.map(summaryOf);
  return [first, ...rest.slice(0, ofStart).sort(), ...rest.slice(ofStart)];
};

/** Waits until `ready` replicas are ready, in all members together. */
const replicas = ({ kubectl }: UpProcess, name: string, ready: number): Promise<void> =>
  until(`${ready} replicas of ${name}`, async () => {
    return (await kubectl('get', 'deployment', name, '-o', 'jsonpath={.status.readyReplicas}')) === String(ready);
  });

/** Runs the section "The first five minutes" of the README. */
async function firstFiveMinutes(server: UpProcess): Promise<void> {
  const { kubectl } = server;
  await kubectl('get', 'clusters');
  await kubectl('create', 'deployment', 'nginx', '--image=nginx:1.27', '--replicas=4');
  await kubectl('create', '-f', 'examples/first-steps/policy.yaml');
  await replicas(server, 'nginx', 4);
  await kubectl('apply', '-f', 'examples/first-steps/override.yaml');
  await kubectl('scale', 'deployment', 'nginx', '--replicas=8');
  await replicas(server, 'nginx', 8);
  await kubectl('get', '--raw', '/apis/cluster.karmada.io/v1alpha1/clusters/member2/proxy/api/v1/pods');
  await kubectl('create', '-f', 'examples/first-steps/search.yaml');
  const cache = '/apis/search.karmada.io/v1alpha1/search/cache/apis/apps/v1/deployments';
  await until('both members are searched', async () => {
    const found = await kubectl('get', '--raw', cache);
    return found.includes('"member1"') && found.includes('"member2"');
  });
}

async function allExamples({ kubectl }: UpProcess): Promise<void> {
  await kubectl('label', 'cluster', 'member2', 'tier=edge');
  for (const folder of await exampleFolders()) await kubectl('apply', '-f', folder);
  const query = 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Applied")].status}{"\\n"}{end}';
  await until('all Works are applied', async () => {
    const applied = (await kubectl('get', 'works', '-A', '-o', query)).split('\n').slice(0, -1);
    return applied.length > 10 && applied.every(status => status === 'True');
  });
}

const refused = 'writes are refused until the data directory takes them; reads and watches go on';

const large = (name: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v'.repeat(500_000) } });

/** Fills the disk until a write is refused: the server may release space meanwhile, when it removes files of its history. */
async function refusedByFullDisk(disk: SmallDisk, create: (name: string) => Promise<unknown>): Promise<void> {
  for (let n = 0; ; n++) {
    disk.fill(0);
    try {
      await create(`refused-${n}`);
    } catch (error) {
      if (/no space left on the disk of the data directory/.test(String(error))) return;
      throw error;
    }
  }
}

const skip = needsKubectl.skip === false ? noMounts : needsKubectl.skip;

t.test('the log of an operator has exactly the expected lines', { skip }, async t => {
  const directory = path.join(await temporaryFolder(t), 'data');
  const storage = path.join(directory, 'storage');
  await fs.mkdir(storage, { recursive: true, mode: 0o700 });
  const disk = smallDisk(t, storage, 64); // only for the control plane; members have free space
  const server = await startUp(t, directory, '--members', '2', ...quick);
  const member = (...args: readonly string[]) => run(t, 'member', ...args, '--data-dir', directory);
  await waitForLine(server, 'member joined', 2);
  await firstFiveMinutes(server);
  await allExamples(server);

  t.match(await member('stop', 'member1'), { code: 0, out: 'member1 stopped\n' });
  const silent = await waitForLine(server, 'member is silent');
  t.match(silent, { cause: /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/, since: /^\d{4}-.*Z$/ });
  await server.kubectl('scale', 'deployment', 'nginx', '--replicas=4');
  t.match(await member('start', 'member1'), { code: 0, out: 'member1 running\n' });
  t.match(await waitForLine(server, 'member is back'), { silentSeconds: Number });
  await replicas(server, 'nginx', 4);

  const create = (name: string) => execute('kubectl', ['create', '-f', '-'], server.kubeconfig, large(name));
  await refusedByFullDisk(disk, create);
  await server.kubectl('get', 'deployments');
  t.match(await waitForLine(server, refused), { cause: 'no space left on the disk of the data directory' });
  disk.empty();
  t.match(await waitForLine(server, 'the data directory takes writes again'), { seconds: Number, failures: Number });
  await create('created');
  await server.kubectl('delete', '-f', 'examples/first-steps');
  await server.end('SIGTERM');

  t.strictSame(summariesOf(server.lines(), 3), [
    'info, listening',
    'info, member joined, member1',
    'info, member joined, member2',
    'info, ready',
    'warn, member is silent, member1, ClusterNotReachable',
    'info, member is back, member1',
    `error, ${refused}`,
    'info, the data directory takes writes again',
    'info, stopping, SIGTERM',
    'info, stopped',
  ]);

  const again = await startUp(t, directory, '--members', '2', ...quick);
  t.match(await waitForLine(again, 'members are known'), { members: 2, notReady: 0 });
  await replicas(again, 'nginx', 4);
  await again.end('SIGTERM');
  t.strictSame(summariesOf(again.lines(), 2), [
    'info, listening',
    'info, members are known',
    'info, ready',
    'info, stopping, SIGTERM',
    'info, stopped',
  ]);
});
