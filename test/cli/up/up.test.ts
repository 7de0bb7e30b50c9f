/** Runs `flagship` as its own process. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { listening, type Run, run, start, up } from '../process.js';

t.test('help, version and errors in flags', async t => {
  const rows: readonly { given: string; expect: Partial<Run> | object }[] = [
    { given: '--version', expect: { code: 0, out: /^flagship \d+\.\d+\.\d+\n$/ } },
    { given: 'up --version', expect: { code: 0, out: /^flagship \d+\.\d+\.\d+\n$/ } },
    { given: '--help', expect: { code: 0, out: /^Flagship: .*\n\nUsage:\n/ } },
    { given: 'up --help', expect: { code: 0, out: /--data-dir DIR +\S/ } },
    { given: 'version', expect: { code: 0, out: /^flagship \d+\.\d+\.\d+\n$/ } },
    { given: '--data-dir /nowhere up --help', expect: { code: 0, out: /--data-dir DIR +\S/ } },
    { given: 'help up', expect: { code: 0, out: /--data-dir DIR +\S/ } },
    { given: '-h check', expect: { code: 0, out: /--data-dir DIR +\S/ } },
    { given: 'help upp', expect: { code: 1, err: 'flagship: unknown command: upp; did you mean up?\n' } },
    {
      given: '--data-dir /nowhere',
      expect: { code: 1, err: 'flagship: no command was given; "flagship --help" lists them\n' },
    },
    {
      given: 'up --feature-gates Failvoer=true',
      expect: {
        code: 1,
        err: 'flagship: invalid value "Failvoer=true" for --feature-gates: unrecognized feature gate: Failvoer; did you mean Failover?\n',
      },
    },
    {
      given: 'up --bind 127.0.0.1:70000',
      expect: {
        code: 1,
        err: 'flagship: invalid value "127.0.0.1:70000" for --bind: want HOST:PORT, with a port up to 65535\n',
      },
    },
    { given: 'upp', expect: { code: 1, err: 'flagship: unknown command: upp; did you mean up?\n' } },
    { given: '--versoin', expect: { code: 1, err: 'flagship: unknown flag: --versoin; did you mean --version?\n' } },
    {
      given: 'up --membres=2',
      expect: { code: 1, err: 'flagship: unknown flag: --membres; did you mean --members?\n' },
    },
    { given: 'up --data-dir=', expect: { code: 1, err: 'flagship: invalid value "" for --data-dir: want a folder\n' } },
    {
      given: 'check --data-dir=',
      expect: { code: 1, err: 'flagship: invalid value "" for --data-dir: want a folder\n' },
    },
    { given: 'up now', expect: { code: 1, err: 'flagship: unknown argument: now\n' } },
    {
      given: 'up --log-level=loud',
      expect: { code: 1, err: /^flagship: invalid value "loud" for --log-level: want one of [^\n]*\n$/ },
    },
  ];
  for (const { given, expect } of rows)
    t.match(await run(t, ...given.split(' ')), { out: '', err: '', ...expect }, given);
});

t.test('an audit log to a closed standard output does not block requests', async t => {
  const folder = await temporaryFolder(t);
  const policy = path.join(folder, 'policy.yaml');
  await fs.writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
  const args = ['--controllers=-*', '--audit-policy-file', policy, '--audit-log-path', '-'];
  const { server, child, complaints, end } = await up(t, path.join(folder, 'data'), ...args);
  child.stdout?.destroy();
  t.equal((await server.call('GET', '/version')).status, 200);
  await until('the log line', () => complaints().includes('the audit log cannot be written'));
  t.equal((await server.call('GET', '/version')).status, 200);
  await end('SIGTERM');
  t.equal(child.exitCode, 0);
});

t.test('an invalid audit policy is reported in one line', async t => {
  const folder = await temporaryFolder(t);
  const policy = path.join(folder, 'policy.yaml');
  await fs.writeFile(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: All }]\n');
  const command = ['up', '--data-dir', path.join(folder, 'data')];
  const cases = [
    { args: ['--audit-log-path', '-'], expect: '--audit-log-path needs --audit-policy-file' },
    { args: ['--audit-policy-file', policy], expect: '--audit-policy-file needs --audit-log-path' },
    {
      args: ['--audit-policy-file', policy, '--audit-log-path', '-'],
      expect: 'rules[0].level: Unsupported value: "All"',
    },
    { args: ['--audit-policy-file', `${policy}.not`, '--audit-log-path', '-'], expect: 'cannot be read: ENOENT' },
    { args: ['--audit-log-format', 'legacy'], expect: 'invalid value "legacy" for --audit-log-format: want "json"' },
    { args: ['--max-requests-inflight', '-1'], expect: 'must not be negative' },
    { args: ['--cluster-proxy-max-requests', '0'], expect: 'must be a positive integer' },
    { args: ['--cluster-proxy-max-long-requests', '1.5'], expect: 'want a whole number' },
  ];
  for (const { args, expect } of cases) {
    const { code, err } = await run(t, ...command, ...args);
    t.equal(code, 1);
    t.ok(err.includes(expect), err);
    t.equal(err.trimEnd().split('\n').length, 1, 'one line');
  }
});

t.test('invalid data directories, and one whose name needs quoting in a shell', async t => {
  const folder = await temporaryFolder(t);
  const loop = path.join(folder, 'loop');
  await fs.symlink(loop, loop);
  const long = path.join(folder, 'a'.repeat(300));
  for (const [directory, why] of [
    [loop, 'ELOOP: too many symbolic links encountered'],
    [long, 'ENAMETOOLONG: name too long'],
  ] as const) {
    const { code, err } = await run(t, 'up', '--data-dir', directory, '--bind', '127.0.0.1:0');
    t.equal(code, 1);
    t.match(err, new RegExp(`^flagship: the data directory ${directory} cannot be used: ${why}[^\\n]*\\n$`));
  }
  const odd = path.join(folder, "it's mine");
  const child = start(t, ['up', '--data-dir', odd, '--bind', '127.0.0.1:0', '--controllers=-*']);
  const said = await listening(child);
  const shown = /export KUBECONFIG=(.*)\n/.exec(said)?.[1] ?? '';
  t.equal(execFileSync('sh', ['-c', `printf %s ${shown}`], { encoding: 'utf8' }), path.join(odd, 'kubeconfig'));
  child.kill('SIGTERM');
  await once(child, 'exit');
});

t.test('an unwritable kubeconfig or invalid keys are reported in one line, and the process exits', async t => {
  const folder = await temporaryFolder(t);
  const args = ['up', '--data-dir', folder, '--bind', '127.0.0.1:0', '--controllers=-*'];
  await fs.mkdir(path.join(folder, 'kubeconfig'));
  const outcome = await run(t, ...args);
  t.equal(outcome.code, 1);
  t.match(outcome.err, new RegExp(`^flagship: the data directory ${folder} cannot be used: EISDIR[^\\n]*\\n$`));
  for (const name of ['sa.key', 'apiserver.crt', 'apiserver.key', 'ca.key', 'ca.crt']) {
    const file = path.join(folder, 'pki', name);
    const before = await fs.readFile(file);
    await fs.writeFile(file, 'nothing');
    const { code, err } = await run(t, ...args);
    t.equal(code, 1, name);
    t.match(err, /^flagship: the keys cannot be used: [^\n]*\n$/, name);
    t.ok(err.includes(name), err);
    await fs.writeFile(file, before);
  }
});

t.test('up runs until a signal stops it', async t => {
  const folder = await temporaryFolder(t);
  const child = start(t, ['up', '--data-dir', 'data', '--bind', '127.0.0.1:0', '--controllers=-*'], folder);
  const said = await listening(child);
  t.match(said, /^Flagship listens on https:\/\/127\.0\.0\.1:\d+ /);
  const file = path.join(folder, 'data', 'kubeconfig');
  t.match(said, `export KUBECONFIG=${await fs.realpath(file)}`);
  t.equal((await fs.stat(file)).mode & 0o777, 0o600, 'only the owner can read the kubeconfig');
  t.match(await fs.readFile(file, 'utf8'), /current-context: karmada-apiserver\n/);

  const second = await run(t, 'up', '--data-dir', path.join(folder, 'data'), '--bind', '127.0.0.1:0');
  t.match(second, { code: 1, out: '', err: /^flagship: another process uses the data directory [^\n]*\n$/ });
  const port = /:(\d+) /.exec(said)?.[1] ?? '';
  const third = await run(t, 'up', '--data-dir', path.join(folder, 'other'), '--bind', `127.0.0.1:${port}`);
  t.match(third, { code: 1, out: '', err: `flagship: the address 127.0.0.1:${port} is in use\n` });

  child.kill('SIGTERM');
  const [code, signal] = (await once(child, 'exit')) as [number, string];
  t.same([code, signal], [0, null], 'it exits without errors');
});

t.test('an unusable data directory', async t => {
  const folder = await temporaryFolder(t);
  await fs.writeFile(path.join(folder, 'file'), 'precious');
  const inFile = await run(t, 'up', '--data-dir', path.join(folder, 'file'), '--bind', '127.0.0.1:0');
  t.match(inFile, { code: 1, err: /^flagship: the data directory [^\n]* is no folder\n$/ });
  t.equal(await fs.readFile(path.join(folder, 'file'), 'utf8'), 'precious');
  const { code, err } = await run(t, 'up', '--data-dir', path.join(folder, 'file', 'below'), '--bind', '127.0.0.1:0');
  t.match({ code, err }, { code: 1, err: /^flagship: the data directory [^\n]* is no folder\n$/ });
});

// On this file system mkdir returns ENOENT where no directory can be created; the recursive mkdir of Node.js then never returns.
t.test(
  'a data directory where no directories can be created',
  { skip: existsSync('/proc/self') ? false : 'no /proc' },
  async t => {
    for (const directory of ['/proc/flagship', '/proc/flagship/data']) {
      const { code, err } = await run(t, 'up', '--data-dir', directory, '--bind', '127.0.0.1:0');
      t.match({ code, err }, { code: 1, err: 'flagship: no folder can be created in /proc\n' });
    }
  },
);

t.test('invalid keys are reported in one line, and the process exits', async t => {
  const folder = await temporaryFolder(t);
  await fs.mkdir(path.join(folder, 'pki'));
  await fs.writeFile(path.join(folder, 'pki', 'ca.crt'), 'a certificate without its key');
  const outcome = await run(t, 'up', '--data-dir', folder, '--bind', '127.0.0.1:0');
  t.match(outcome, { code: 1, out: '', err: /^flagship: the keys cannot be used: [^\n]*ca\.crt has no ca\.key\n$/ });
});

t.test('an etcd that does not respond is reported in one line', async t => {
  const folder = await temporaryFolder(t);
  const outcome = await run(
    t,
    'up',
    '--data-dir',
    folder,
    '--bind',
    '127.0.0.1:0',
    '--storage=etcd=http://127.0.0.1:1',
  );
  t.match(outcome, { code: 1, out: '', err: /^flagship: the storage cannot be used: etcd does not answer[^\n]*\n$/ });
});
