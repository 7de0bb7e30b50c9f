/** Backup, restore and check of a data directory with the commands of an administrator. */
import fs from 'node:fs/promises';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { ApiClient } from '../conformance/call.js';
import { temporaryFolder } from '../storage/folder.js';
import { run, up } from './process.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const json = { headers: { 'content-type': 'application/json' } };
const noControllers = '--controllers=-*';

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

async function createConfigMap(server: ApiClient, name: string): Promise<void> {
  const { status, text } = await server.call('POST', configMaps, {
    ...json,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v'.repeat(500) } }),
  });
  if (status !== 201) throw new Error(text);
}

async function listConfigMaps(server: ApiClient): Promise<{ names: string[]; revision: string }> {
  const { metadata, items } = JSON.parse((await server.call('GET', configMaps)).text) as Listed;
  return {
    names: items.map(item => item.metadata.name).filter(name => name !== 'kube-root-ca.crt'),
    revision: metadata.resourceVersion,
  };
}

t.test('a backup of a running server is restored elsewhere', async t => {
  const folder = await temporaryFolder(t);
  const file = path.join(folder, 'backup');
  const first = await up(t, path.join(folder, 'a'), noControllers);
  await createConfigMap(first.server, 'before');
  const saved = await run(t, 'snapshot', 'save', file, '--data-dir', path.join(folder, 'a'));
  t.match(saved, { code: 0, err: '', out: /^Saved \d+ objects at revision \d+ to [^\n]*backup\n$/ });
  t.equal((await fs.stat(file)).mode & 0o777, 0o600, 'a backup holds secrets');
  await createConfigMap(first.server, 'after');
  const lost = await listConfigMaps(first.server);
  t.same(lost.names, ['after', 'before']);

  const inUse = await run(t, 'snapshot', 'restore', file, '--data-dir', path.join(folder, 'a'));
  t.match(inUse, {
    code: 1,
    out: '',
    err: /^flagship: [^\n]* contains data already; with --replace it is moved aside\n$/,
  });
  const locked = await run(t, 'snapshot', 'restore', file, '--data-dir', path.join(folder, 'a'), '--replace');
  t.match(locked, { code: 1, out: '', err: /^flagship: another process uses the data directory [^\n]*\n$/ });
  t.same((await listConfigMaps(first.server)).names, ['after', 'before'], 'a data directory in use is left unchanged');
  await first.end('SIGTERM');

  const [keys, away] = [path.join(folder, 'a', 'pki'), path.join(folder, 'a', 'pki.away')];
  await fs.rename(keys, away);
  await fs.symlink('pki', keys);
  const loop = await run(t, 'snapshot', 'save', path.join(folder, 'keyless'), '--data-dir', path.join(folder, 'a'));
  t.match(loop, { code: 1, out: '' }, 'unreadable keys fail the backup');
  await fs.rm(keys);
  await fs.rename(away, keys);

  const to = path.join(folder, 'b');
  t.match(await run(t, 'snapshot', 'restore', file, '--data-dir', to), {
    code: 0,
    err: '',
    out: /^Restored \d+ objects/,
  });
  for (const name of await fs.readdir(path.join(to, 'storage')))
    t.equal((await fs.stat(path.join(to, 'storage', name))).mode & 0o777, 0o600, name);
  t.match(await run(t, 'check', '--data-dir', to), { code: 0, out: /\n {2}ok: \d+ objects at revision \d+\n$/ });
  const second = await up(t, to, noControllers);
  t.equal(
    await fs.readFile(path.join(to, 'pki', 'ca.crt'), 'utf8'),
    await fs.readFile(path.join(folder, 'a', 'pki', 'ca.crt'), 'utf8'),
    'old kubeconfigs are still valid',
  );
  const found = await listConfigMaps(second.server);
  t.same(found.names, ['before']);
  t.ok(Number(found.revision) > Number(lost.revision), 'the revision is higher than before');
  const watched = await second.server.call(
    'GET',
    `${configMaps}?watch=1&resourceVersion=${lost.revision}&timeoutSeconds=5`,
  );
  t.match(watched.text, /"code":410/, 'clients that saw a lost revision list again');
  await second.end('SIGTERM');

  const again = await run(t, 'snapshot', 'restore', file, '--data-dir', to, '--replace');
  t.match(again, { code: 0, out: /The previous storage is now in [^\n]*storage\.before-/ });
  const third = await up(t, to, noControllers);
  t.ok(
    Number((await listConfigMaps(third.server)).revision) > Number(found.revision),
    'the revision rises with every restore',
  );
});

t.test('a file that is not a backup is refused', async t => {
  const folder = await temporaryFolder(t);
  const at = (name: string): string => path.join(folder, name);
  const server = await up(t, at('a'), noControllers);
  await createConfigMap(server.server, 'x');
  await run(t, 'snapshot', 'save', at('whole'), '--data-dir', at('a'));
  await server.end('SIGKILL');
  const whole = await fs.readFile(at('whole'));
  const rows: readonly { name: string; given: Buffer }[] = [
    { name: 'empty', given: Buffer.alloc(0) },
    { name: 'another kind of file', given: Buffer.from('hello\n'.repeat(100)) },
    { name: 'truncated', given: whole.subarray(0, whole.length - 1) },
    { name: 'with a flipped bit', given: flipped(whole) },
  ];
  for (const { name, given } of rows) {
    await fs.writeFile(at('bad'), given);
    const outcome = await run(t, 'snapshot', 'restore', at('bad'), '--data-dir', at('to'));
    t.match(outcome, { code: 1, out: '', err: /^flagship: this is not a complete backup: [^\n]*\n$/ }, name);
  }
  await t.rejects(fs.stat(path.join(at('to'), 'storage')), 'no files are left');
  t.match(await run(t, 'snapshot', 'restore', at('none'), '--data-dir', at('to')), {
    code: 1,
    err: /there is no [^\n]*none\n$/,
  });
  t.match(await run(t, 'snapshot', 'save', at('x'), '--data-dir', at('to')), { code: 1, err: /no embedded storage/ });
});

/** Returns the largest file in the folder with this ending. */
async function largest(folder: string, ending: string): Promise<string> {
  const sized = [];
  for (const name of (await fs.readdir(folder)).filter(one => one.endsWith(ending)))
    sized.push({ name, size: (await fs.stat(path.join(folder, name))).size });
  return path.join(folder, sized.sort((a, b) => b.size - a.size)[0]?.name ?? '');
}

/** Returns a copy with one flipped bit in its middle. */
function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(bytes.length / 2);
  changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
  return changed;
}

async function flip(t: Test, file: string): Promise<void> {
  await fs.writeFile(file, flipped(await fs.readFile(file)));
  t.comment(`damaged ${path.basename(file)}`);
}

t.test('check finds damage, reports what is lost, and repairs', async t => {
  const data = path.join(await temporaryFolder(t), 'data');
  const server = await up(t, data, noControllers);
  for (let i = 0; i < 20; i++) await createConfigMap(server.server, `c${i}`);
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / }, 'while the server runs');
  await server.end('SIGKILL');
  const storage = path.join(data, 'storage');
  await fs.appendFile(await largest(storage, '.log'), 'torn');
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /4 bytes after it were never acknowledged/ });

  await flip(t, await largest(storage, '.log'));
  const found = await run(t, 'check', '--data-dir', data);
  t.match(found, { code: 1, err: '', out: /\.log: DAMAGED: damaged at byte \d+, after revision \d+\n/ });
  t.match(found.out, /\n {2}damaged: only the state up to revision \d+ can be read \(\d+ objects\); --repair restores/);
  t.match(await run(t, 'snapshot', 'save', `${data}.b`, '--data-dir', data), { code: 1, err: /is damaged: / });
  t.match(await run(t, 'up', '--data-dir', data, '--bind', '127.0.0.1:0'), { code: 1, err: /is damaged: / });
  t.match(await run(t, 'check', '--data-dir', data, '--repair'), {
    code: 0,
    out: /repaired; the damaged storage is now in /,
  });
  t.match(await run(t, 'check', '--data-dir', data), { code: 0, out: /\n {2}ok: / });
  const back = await up(t, data, noControllers);
  const left = (await listConfigMaps(back.server)).names.length;
  t.ok(left < 20, 'objects written after the damage are lost');
  await createConfigMap(back.server, 'new');
});
