/** A data directory that disappears or is replaced under a running server, and failed starts, which must leave no files behind. */
import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import t, { type Test } from 'tap';
import { noMounts, smallDisk } from '../../small-disk.js';
import { temporaryFolder } from '../../storage/folder.js';
import { until } from '../../storage/until.js';
import { run, up, type Up } from '../process.js';

const maps = '/api/v1/namespaces/default/configmaps';
const bare = ['--controllers=-*'];

async function create({ server }: Up, name: string) {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return server.call('POST', maps, { headers: { 'content-type': 'application/json' }, body });
}

const statusOf = async ({ server }: Up, what: string): Promise<number> => (await server.call('GET', what)).status;

/** Asserts that the server reports the error at /readyz, in write requests and in the log, and still serves reads. */
async function refuses(t: Test, one: Up, text: string): Promise<void> {
  await until('it is not ready', async () => (await statusOf(one, '/readyz')) === 500);
  t.match((await one.server.call('GET', '/readyz/data-directory')).text, text);
  const refused = await create(one, 'refused');
  t.equal(refused.status, 500);
  t.match(JSON.parse(refused.text), { reason: 'InternalError', message: `Internal error occurred: ${text}` });
  t.equal(await statusOf(one, '/livez'), 200);
  t.equal(await statusOf(one, `${maps}/before`), 200, 'existing objects are served');
  const lines = one.complaints().split('\n');
  t.equal(
    lines.filter(line => line.includes('"level":"error"') && line.includes(text)).length,
    1,
    'one line in the log',
  );
}

/** Asserts that no second server starts on the path of a running one, and that the message names the running process. */
async function refusesAnother(t: Test, data: string, one: Up): Promise<void> {
  t.match(await run(t, 'up', '--data-dir', data, '--bind', '127.0.0.1:0'), {
    code: 1,
    err: `flagship: another process uses the data directory ${data}: stop process ${one.child.pid ?? ''} first\n`,
  });
}

t.test('a data directory that is removed under a running server', async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const one = await up(t, data, ...bare);
  t.equal((await create(one, 'before')).status, 201);
  fs.renameSync(data, `${data}-removed`); // at once, while the server may look at it at any time
  fs.rmSync(`${data}-removed`, { recursive: true });
  await refuses(t, one, 'the data directory was removed or moved away while it is in use');

  await refusesAnother(t, data, one);
  t.notOk(fs.existsSync(data), 'the refused server leaves no files');
  await one.end('SIGKILL');
  const other = await up(t, data, ...bare);
  t.equal((await create(other, 'other')).status, 201, 'the path is free once the process has ended');
  await other.end('SIGTERM');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
});

t.test('files of the data directory that are removed under a running server', async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const one = await up(t, data, ...bare);
  t.equal((await create(one, 'before')).status, 201);
  for (const name of fs.readdirSync(path.join(data, 'storage')))
    if (name.endsWith('.log')) fs.rmSync(path.join(data, 'storage', name));
  await refuses(t, one, 'files of the data directory were removed');
});

t.test(
  'a data directory that is moved away: a second process cannot use it there, and the server recovers when it is moved back',
  async t => {
    const folder = await temporaryFolder(t);
    const [data, away] = [path.join(folder, 'data'), path.join(folder, 'away')];
    const one = await up(t, data, ...bare);
    t.equal((await create(one, 'before')).status, 201);
    fs.renameSync(data, away);
    await refuses(t, one, 'the data directory was removed or moved away while it is in use');
    t.match(await run(t, 'up', '--data-dir', away, '--bind', '127.0.0.1:0'), {
      code: 1,
      err: `flagship: another process uses the data directory ${away}\n`,
    });

    await refusesAnother(t, data, one);
    fs.renameSync(away, data);
    await until('it is ready again', async () => (await statusOf(one, '/readyz')) === 200);
    t.equal((await create(one, 'after')).status, 201);
    await one.end('SIGKILL');
    const again = await up(t, data, ...bare);
    const { text } = await again.server.call('GET', maps);
    for (const name of ['before', 'after']) t.match(text, `"name":"${name}"`, name);
    t.notMatch(text, '"name":"refused"');
    await again.end('SIGTERM');
  },
);

t.test('another file system mounted over the data directory', { skip: noMounts }, async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const one = await up(t, data, ...bare);
  t.equal((await create(one, 'before')).status, 201);
  const disk = smallDisk(t, path.join(data, 'storage'), 16);
  await refuses(t, one, 'the data directory was replaced by another one while it is in use');
  t.same(fs.readdirSync(disk.folder), [], 'nothing is written to the mounted file system');
});

t.test('a server whose lock file was removed stops writing once a second process has taken the directory', async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const one = await up(t, data, ...bare);
  t.equal((await create(one, 'before')).status, 201);
  fs.rmSync(path.join(data, 'storage', 'lock'));
  await refuses(t, one, 'files of the data directory were removed');
  await refusesAnother(t, data, one);
  fs.renameSync(data, `${data}-away`);
  const other = await up(t, `${data}-away`, ...bare);
  fs.symlinkSync(`${data}-away`, data);
  await until('the owner of the lock is noticed', async () => {
    const { text } = await one.server.call('GET', '/readyz/data-directory');
    return text.includes('in use by another process');
  });
  t.equal((await create(other, 'other')).status, 201);
  t.equal((await create(one, 'mixed')).status, 500);
  await one.end('SIGTERM');
  await other.end('SIGTERM');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
});

t.test('a failed start leaves no files', async t => {
  const folder = await temporaryFolder(t);
  const taken = net.createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const data = path.join(folder, 'new', 'data');
  const cases = [
    { args: ['--bind', `127.0.0.1:${port}`], err: `flagship: the address 127.0.0.1:${port} is in use\n` },
    {
      args: ['--bind', `127.0.0.1:${port}`, '--workers=2', '--members=1'],
      err: `flagship: the address 127.0.0.1:${port} is in use\n`,
    },
    { args: ['--bind', '192.0.2.1:5443'], err: 'flagship: the address 192.0.2.1:5443 is not one of this machine\n' },
    {
      args: ['--bind', 'no.such.host.invalid:5443'],
      err: 'flagship: the host of no.such.host.invalid:5443 is not known\n',
    },
    { args: ['--members=1000'], err: /^flagship: invalid value "1000" for --members/ },
    { args: ['--controllers=nothing'], err: /^flagship: unknown controller "nothing"/ },
    { args: ['--bind', '127.0.0.1'], err: /^flagship: invalid value "127.0.0.1" for --bind/ },
  ];
  for (const { args, err } of cases) {
    const given = args.includes('--bind') ? args : [...args, '--bind', '127.0.0.1:0'];
    t.match(await run(t, 'up', '--data-dir', data, ...given), { code: 1, out: '', err }, args.join(' '));
    t.same(fs.readdirSync(folder), [], `${args.join(' ')} leaves no files`);
  }
});
