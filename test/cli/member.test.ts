/** `flagship member` against a running `flagship up --members 2`, seen with the real kubectl. */
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import t from 'tap';
import { kubectlFor, needsKubectl } from '../e2e/kubectl.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { run, up } from './process.js';

/** Limit for waits, in milliseconds. A change of a cluster must hold for 30 s, and the machine may be busy. */
const timeoutMs = 180_000;

t.test('errors in flags and arguments are reported in one line', async t => {
  const folder = await temporaryFolder(t);
  const rows = [
    { given: 'member list', err: `flagship: no Flagship with simulated members runs on ${folder}\n` },
    { given: 'member stop member1', err: `flagship: no Flagship with simulated members runs on ${folder}\n` },
    { given: 'member stop', err: 'flagship: member stop needs the name of a member\n' },
    { given: 'member slow member1', err: 'flagship: member slow needs --delay\n' },
    { given: 'member start member1 --silent', err: 'flagship: --silent is for member stop\n' },
    { given: 'member stop member1 --delay 1s', err: 'flagship: --delay is for member slow\n' },
    { given: 'member stpo member1', err: 'flagship: unknown command: member stpo; did you mean stop?\n' },
    { given: 'member stop member1 member2', err: 'flagship: unknown argument: member2\n' },
    {
      given: 'member slow member1 --delay 1h',
      err: 'flagship: invalid value "1h" for --delay: want more than 0s and at most 10m\n',
    },
  ];
  for (const { given, err } of rows)
    t.match(await run(t, ...given.split(' '), '--data-dir', folder), { code: 1, out: '', err }, given);
  t.match(await run(t, 'member', '--help'), { code: 0, out: /flagship member stop NAME/, err: '' });
});

t.test('a member is stopped, silenced, slowed down and started again', needsKubectl, async t => {
  const directory = path.join(await temporaryFolder(t), 'data');
  const short = [
    '--cluster-failure-threshold=3s',
    '--cluster-success-threshold=3s',
    '--cluster-status-update-frequency=1s',
  ];
  const running = await up(t, directory, '--members', '2', ...short);
  const kubectl = kubectlFor(t, { directory, kubeconfig: path.join(directory, 'kubeconfig') });
  const member = (...args: readonly string[]) => run(t, 'member', ...args, '--data-dir', directory);
  const states = async (): Promise<string[]> =>
    (await member('list')).out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map(line => line.replace(/ {3,}https:.*/, '').replace(/ {3,}/, ' '));
  const jsonPath = async (template: string): Promise<string> =>
    (await kubectl(`get cluster member1 -o jsonpath=${template}`)).out;
  const ready = (): Promise<string> => jsonPath('{.status.conditions[?(@.type=="Ready")].status}');
  const taints = (): Promise<string> => jsonPath('{.spec.taints[*].key}');

  const { mode } = await fs.stat(path.join(directory, 'members.sock'));
  t.equal(mode & 0o777, 0o600, 'only the owner may connect');
  t.strictSame(await states(), ['member1 running', 'member2 running']);
  t.match(await member('stop', 'member9'), { code: 1, err: 'flagship: there is no member "member9"\n' });
  await until('member1 is ready', async () => (await ready()) === 'True');

  t.match(await member('stop', 'member1'), { code: 0, out: 'member1 stopped\n', err: '' });
  t.strictSame(await states(), ['member1 stopped', 'member2 running']);
  const refused = await kubectl('--context member1 get nodes');
  t.match(refused.err, /refused/);
  t.equal((await kubectl('--context member2 get nodes')).code, 0, 'the other member responds');
  await until('member1 is not ready', async () => (await ready()) === 'False', timeoutMs);
  await until('the taint', async () => (await taints()) === 'cluster.karmada.io/not-ready', timeoutMs);

  t.match(await member('stop', 'member1', '--silent'), { code: 0, out: 'member1 stopped (silent)\n' });
  const url = new URL((await member('list')).out.match(/member1 .*(https:\S+)/)?.[1] ?? '');
  const socket = net.connect(Number(url.port), url.hostname);
  let received = 0;
  socket.on('data', chunk => (received += chunk.length));
  socket.on('error', () => undefined);
  await new Promise<void>(resolve => socket.once('connect', resolve));
  socket.write('anything');
  const silent = await kubectl('--context member1 --request-timeout=1s get --raw /version');
  t.not(silent.code, 0);
  t.equal(received, 0, 'it accepts connections and sends nothing');

  t.match(await member('slow', 'member1', '--delay', '1500ms'), { code: 0, out: 'member1 slow (1.5s)\n' });
  t.strictSame(await states(), ['member1 slow (1.5s)', 'member2 running']);
  const late = await kubectl('--context member1 --request-timeout=1s get --raw /version');
  t.not(late.code, 0, 'too late for a client with a timeout of 1 s');
  t.equal((await kubectl('--context member1 get --raw /version')).code, 0, 'but it responds');

  t.match(await member('start', 'member1'), { code: 0, out: 'member1 running\n' });
  await until('member1 is ready again', async () => (await ready()) === 'True', timeoutMs);
  await until('no taint', async () => (await taints()) === '', timeoutMs);
  t.equal((await kubectl('--context member1 get nodes')).code, 0);

  await member('stop', 'member1', '--silent');
  await running.end('SIGTERM');
  t.equal(running.child.exitCode, 0, 'the process exits while a member is silent');
  await t.rejects(fs.stat(path.join(directory, 'members.sock')), { code: 'ENOENT' });
});
