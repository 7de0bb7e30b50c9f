/** A server whose disk accepts no writes reports it, serves reads, and recovers by itself. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { failingDisk, noFailingDisk } from '../failing-disk.js';
import { noMounts, smallDisk } from '../small-disk.js';
import { temporaryFolder } from '../storage/folder.js';
import { until } from '../storage/until.js';
import { run, up, type Up } from './process.js';

const prlimit = '/usr/bin/prlimit';
const skip = fs.existsSync(prlimit) ? false : 'there is no prlimit to make writes fail with';
const maps = '/api/v1/namespaces/default/configmaps';
const bare = ['--controllers=-*'];

/** Returns helpers for requests to the server and for lines of its log. */
function client({ server, child }: Up) {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const create = (name: string, bytes = 10_000) =>
    server.call('POST', maps, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v'.repeat(bytes) } }),
    });
  const statusOf = async (what: string): Promise<number> => (await server.call('GET', what)).status;
  const lines = (level: string, text: string): number =>
    log.split('\n').filter(line => line.includes(`"level":"${level}"`) && line.includes(text)).length;
  return { create, statusOf, lines };
}

const refusedLine = 'writes are refused until the data directory takes them';
const againLine = 'the data directory takes writes again';

t.test('a full disk refuses writes, and recovers', { skip: noMounts }, async t => {
  const disk = smallDisk(t, await temporaryFolder(t), 32);
  const data = path.join(disk.folder, 'data');
  const one = await up(t, data, ...bare);
  const { server } = one;
  const { create, statusOf, lines } = client(one);
  t.equal((await create('before')).status, 201);

  disk.fill(0);
  for (const name of ['refused-1', 'refused-2']) {
    const refused = await create(name);
    t.equal(refused.status, 500);
    t.match(JSON.parse(refused.text), {
      kind: 'Status',
      reason: 'InternalError',
      message: 'Internal error occurred: no space left on the disk of the data directory',
    });
    t.equal(refused.headers['retry-after'], undefined, 'clients are not told to retry');
    t.notMatch(refused.text, 'retryAfterSeconds');
  }
  t.equal(await statusOf('/readyz'), 500);
  t.match((await server.call('GET', '/readyz?verbose')).text, /\[-\]data-directory failed/);
  t.match((await server.call('GET', '/readyz/data-directory')).text, 'no space left on the disk of the data directory');
  t.equal(await statusOf('/livez'), 200, 'reads need no disk space');
  t.equal(await statusOf('/healthz'), 200);
  t.equal(await statusOf(`${maps}/before`), 200);
  const metrics = (await server.call('GET', '/metrics')).text;
  t.match(metrics, /^flagship_data_directory_writable 0$/m);
  t.match(metrics, /^flagship_data_directory_free_bytes \d{1,6}$/m);
  t.equal(lines('error', refusedLine), 1, 'the log has one line');
  t.equal(lines('info', againLine), 0);

  disk.empty();
  // No requests are made meanwhile: the server retries by itself.
  await until('the log line about the recovery', () => lines('info', againLine) === 1);
  t.equal(await statusOf('/readyz'), 200);
  t.match((await server.call('GET', '/metrics')).text, /^flagship_data_directory_writable 1$/m);
  t.equal((await create('after')).status, 201);
  t.equal(lines('error', refusedLine), 1);
  t.notMatch(one.complaints(), /\\n {4}at /, 'no stack traces');

  await one.end('SIGKILL');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
  const again = await up(t, data, ...bare);
  const { text } = await again.server.call('GET', maps);
  for (const name of ['before', 'after']) t.match(text, `"name":"${name}"`, name);
  t.notMatch(text, '"name":"refused');
  await again.end('SIGKILL');
});

t.test('an audit log on a full disk is buffered', { skip: noMounts }, async t => {
  const folder = await temporaryFolder(t);
  fs.mkdirSync(path.join(folder, 'audit'));
  const disk = smallDisk(t, path.join(folder, 'audit'), 1);
  const policy = path.join(folder, 'policy.yaml');
  fs.writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
  const file = path.join(disk.folder, 'audit.log');
  const one = await up(t, path.join(folder, 'data'), ...bare, '--audit-policy-file', policy, '--audit-log-path', file);
  const { create, statusOf, lines } = client(one);
  disk.fill(0);
  await until('the log line', async () => {
    t.equal(await statusOf(maps), 200);
    return lines('warn', 'the audit log cannot be written') === 1;
  });
  t.equal((await create('meanwhile')).status, 201, 'requests are still served');
  t.equal(await statusOf('/readyz'), 200);
  disk.empty();
  await until('the log line about the recovery', () => lines('info', 'the audit log is written again') === 1);
  t.match(fs.readFileSync(file, 'utf8'), '"name":"meanwhile"', 'buffered lines are written');
  t.equal(lines('warn', 'the audit log cannot be written'), 1);
  await one.end('SIGTERM');
});

t.test('workers whose store is on a full disk', { skip: noMounts }, async t => {
  const disk = smallDisk(t, await temporaryFolder(t), 32);
  const one = await up(t, path.join(disk.folder, 'data'), ...bare, '--workers=1');
  const { create, statusOf } = client(one);
  disk.fill(0);
  const refused = await create('refused');
  t.equal(refused.status, 500);
  t.match(JSON.parse(refused.text), { reason: 'InternalError' });
  t.match(refused.text, 'no space left on the disk of the data directory');
  t.equal(await statusOf('/readyz/data-directory'), 500);
  t.equal(await statusOf('/livez'), 200);
  t.match((await one.server.call('GET', '/metrics')).text, /^flagship_data_directory_writable 0$/m);
  disk.empty();
  await until('it is ready again', async () => (await statusOf('/readyz')) === 200);
  t.equal((await create('after')).status, 201);
  await one.end('SIGTERM');
});

t.test('a disk that is full at the first start', { skip: noMounts }, async t => {
  const disk = smallDisk(t, await temporaryFolder(t), 16);
  const data = path.join(disk.folder, 'data');
  for (const free of [0, 8 << 10, 40 << 10]) {
    disk.fill(free);
    const { code, out, err } = await run(t, 'up', '--data-dir', data, '--bind', '127.0.0.1:0', '--controllers=-*');
    t.match({ code, out }, { code: 1, out: '' });
    t.match(err, /^flagship: [^\n]*no space left [^\n]*data directory[^\n]*\n$/m);
    t.notMatch(err, /\n {4}at /, 'no stack traces');
    disk.empty();
  }
  const drafts = fs.readdirSync(data, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.tmp'));
  t.same(drafts, [], 'no incomplete files are left');
  const one = await up(t, data, ...bare);
  t.equal((await client(one).create('first')).status, 201);
  await one.end('SIGTERM');
});

t.test('a read-only file system', { skip: noMounts }, async t => {
  const disk = smallDisk(t, await temporaryFolder(t), 32);
  disk.remount('ro');
  const data = path.join(disk.folder, 'data');
  t.match(await run(t, 'up', '--data-dir', data, '--bind', '127.0.0.1:0'), {
    code: 1,
    out: '',
    err: `flagship: the data directory ${data} is on a file system that is read-only\n`,
  });
});

t.test('an existing data directory on a read-only file system', { skip: noMounts }, async t => {
  const folder = await temporaryFolder(t);
  const data = path.join(folder, 'data');
  const file = path.join(folder, 'backup');
  const one = await up(t, data, ...bare);
  t.match(await run(t, 'snapshot', 'save', file, '--data-dir', data), { code: 0 });
  await one.end('SIGTERM');
  const mounted = await temporaryFolder(t);
  const disk = smallDisk(t, mounted, 32);
  const empty = path.join(mounted, 'empty');
  fs.mkdirSync(empty);
  disk.remount('ro');
  const err = `flagship: the data directory ${empty} is on a file system that is read-only\n`;
  t.match(await run(t, 'up', '--data-dir', empty, '--bind', '127.0.0.1:0'), { code: 1, out: '', err });
  t.match(await run(t, 'snapshot', 'restore', file, '--data-dir', empty), { code: 1, out: '', err });
});

t.test('a disk on which every write fails', { skip }, async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const one = await up(t, data, ...bare);
  const { child, server } = one;
  const { create, statusOf } = client(one);
  t.equal((await create('before')).status, 201);

  execFileSync(prlimit, [`--pid=${child.pid}`, '--fsize=0:']);
  const refused = await create('refused');
  t.equal(refused.status, 500);
  t.match(JSON.parse(refused.text), { kind: 'Status', reason: 'InternalError', message: /takes no larger files/ });
  await until('it is not ready', async () => (await statusOf('/readyz')) === 500);
  t.match((await server.call('GET', '/readyz?verbose')).text, /\[-\]data-directory failed/);
  t.equal(await statusOf(`${maps}/before`), 200, 'existing objects are served');
  t.equal(await statusOf(maps), 200);

  execFileSync(prlimit, [`--pid=${child.pid}`, '--fsize=unlimited:']);
  await until('it is ready again', async () => (await statusOf('/readyz')) === 200);
  t.equal((await create('after')).status, 201);
  await one.end('SIGKILL');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
  const again = await up(t, data, '--controllers=-*');
  const { text } = await again.server.call('GET', maps);
  for (const name of ['before', 'after']) t.match(text, `"name":"${name}"`, name);
  t.notMatch(text, '"name":"refused"');
});

t.test('a disk that answers EIO', { skip: noFailingDisk }, async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const disk = failingDisk(t, data, await temporaryFolder(t));
  const text = 'the disk of the data directory reports an input/output error';
  const one = await disk.use(() => up(t, data, ...bare));
  const { create, statusOf, lines } = client(one);
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 40; i++) {
      t.equal((await create(`before-${round}-${i}`)).status, 201);
      acknowledged.push(`before-${round}-${i}`);
    }
    // Many writes at a time are in one batch, of which half is on the disk.
    disk.fail('writes');
    for (const refused of await Promise.all(Array.from({ length: 20 }, (_, i) => create(`refused-${round}-${i}`)))) {
      t.equal(refused.status, 500);
      t.match(JSON.parse(refused.text), { reason: 'InternalError', message: `Internal error occurred: ${text}` });
    }
    t.equal(await statusOf('/readyz'), 500);
    t.match((await one.server.call('GET', '/readyz/data-directory')).text, text);
    t.equal(await statusOf('/livez'), 200);
    t.equal(await statusOf(`${maps}/before-${round}-0`), 200, 'existing objects are served');
    t.equal(await statusOf(`${maps}/refused-${round}-0`), 404, 'a refused write is not visible');
    t.match((await one.server.call('GET', '/metrics')).text, /^flagship_data_directory_writable 0$/m);
    disk.mend();
    await until('it is ready again', async () => (await statusOf('/readyz')) === 200);
    t.equal(lines('error', refusedLine), round + 1, 'one line for each time');
    t.equal(lines('error', text), round + 1, 'which says why');
    await until('the log line about the recovery', () => lines('info', againLine) === round + 1);
  }
  t.notMatch(one.complaints(), /\\n {4}at /, 'no stack traces');
  disk.fail('writes');
  t.equal((await create('last')).status, 500);
  await one.end('SIGKILL');
  disk.mend();
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
  const again = await disk.use(() => up(t, data, ...bare));
  const found = (await again.server.call('GET', maps)).text;
  for (const name of acknowledged) t.ok(found.includes(`"name":"${name}"`), name);
  t.notMatch(found, '"name":"refused', 'no write from before the disk was good again');
  await again.end('SIGKILL');
});

t.test('a disk that answers EIO at the start', { skip: noFailingDisk }, async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const disk = failingDisk(t, path.join(data, 'storage'), await temporaryFolder(t));
  const started = (): ReturnType<typeof run> =>
    disk.use(() => run(t, 'up', '--data-dir', data, '--bind', '127.0.0.1:0', ...bare));
  const refused = {
    code: 1,
    out: '',
    err: `flagship: the disk of the data directory ${data} reports an input/output error\n`,
  };
  disk.fail('writes');
  t.match(await started(), refused, 'a new directory');
  disk.mend();
  const one = await disk.use(() => up(t, data, ...bare));
  t.equal((await client(one).create('before')).status, 201);
  await one.end('SIGKILL');
  for (const calls of ['writes', 'reads'] as const) {
    disk.fail(calls);
    t.match(await started(), refused, calls);
  }
  disk.mend();
  const again = await up(t, data, ...bare);
  t.equal((await again.server.call('GET', `${maps}/before`)).status, 200);
  await again.end('SIGTERM');
});
