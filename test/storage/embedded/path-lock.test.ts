import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import t, { type Test } from 'tap';
import { readBackup, restoreState, saveBackup } from '../../../storage/embedded/backup.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { lockPath } from '../../../storage/embedded/path-lock.js';
import type { Log } from '../../../storage/log.js';
import { plainNode } from '../../../tools/plain-node.js';
import { startWriter } from '../crash/child.js';
import { temporaryFolder } from '../folder.js';
import { until } from '../until.js';

const notLinux = process.platform === 'linux' ? false : 'only Linux has abstract sockets';
const notRoot = notLinux || process.geteuid?.() === 0 ? notLinux : 'needs root to run a process of another user';

function recordingLog(): { readonly log: Log; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const add = (_: object, message: string): void => void lines.push(message);
  return { log: { info: add, warn: add, error: add }, lines };
}

const names = async (): Promise<string[]> =>
  [...(await fs.readFile('/proc/net/unix', 'latin1')).matchAll(/@(flagship-[0-9a-f]{64})/g)].map(
    ([, name = '']) => name,
  );

/** Starts a process of another user that listens on an abstract socket. */
async function squatter(t: Test, name: string): Promise<ChildProcess> {
  const script = `require('node:net').createServer().listen({ path: '\\0${name}' }, () => console.log('listening'))`;
  const [command, ...args] = plainNode;
  const child = spawn(command, [...args, '-e', script], {
    uid: 65534,
    gid: 65534,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.EventEmitter, 'data');
  return child;
}

t.test('no store opens on the path of a removed directory while its process runs', { skip: notLinux }, async t => {
  const directory = path.join(await temporaryFolder(t), 'data', 'storage');
  const where = { type: 'embedded', directory, snapshotBytes: 1e9, historyBytes: 1e9 } as const;
  const running = startWriter(t, where, 'running');
  await until('it writes', () => running.acknowledged.length > 0);
  const backup = path.join(path.dirname(directory), '..', 'backup');
  await saveBackup(directory, backup, []);
  await fs.rm(path.dirname(directory), { recursive: true });
  const message = `the data directory ${directory} is in use by process ${running.process.pid ?? ''}`;
  await t.rejects(openEmbedded(where), { code: 'locked', message, holder: running.process.pid });
  await t.rejects(fs.stat(path.dirname(directory)), { code: 'ENOENT' }, 'nothing was created');
  const link = path.join(path.dirname(directory), '..', 'link');
  await fs.symlink('data', link);
  await fs.mkdir(path.dirname(directory));
  await t.rejects(openEmbedded({ directory: path.join(link, 'storage') }), { code: 'locked' }, 'by another name of it');
  const { revision, items } = await readBackup(backup);
  const state = { revision, items: items.values() };
  await t.rejects(restoreState(directory, state, { now: Date.now(), replace: false }), { code: 'locked', message });
  t.same(await fs.readdir(path.dirname(directory)), []);

  await running.kill();
  const after = await openEmbedded(where);
  await after.close();
});

t.test('the locks of two paths are independent, and a lock is free after its release', async t => {
  const folder = await temporaryFolder(t);
  const { log, lines } = recordingLog();
  const one = await lockPath(path.join(folder, 'one'), log);
  const two = await lockPath(path.join(folder, 'two'), log);
  await one.release();
  const again = await lockPath(path.join(folder, 'one'), log);
  for (const lock of [two, again]) await lock.release();
  t.same(lines, []);
});

t.test('another user who takes the name of a lock keeps nobody out', { skip: notRoot }, async t => {
  const directory = path.join(await temporaryFolder(t), 'data');
  const before = await names();
  const first = await openEmbedded({ directory });
  const [name = ''] = (await names()).filter(each => !before.includes(each));
  await first.close();
  await squatter(t, name);
  const { log, lines } = recordingLog();
  const store = await openEmbedded({ directory, log });
  t.same(
    lines.filter(line => line.includes('path')),
    ['the path of the data directory is not locked; the directory itself is'],
  );
  await t.rejects(openEmbedded({ directory }), { code: 'locked' }, 'the lock in the directory holds');
  await store.close();
});
