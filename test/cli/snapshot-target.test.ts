/** Targets of a backup, and the errors they cause. */
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { noMounts, smallDisk } from '../small-disk.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import { temporaryFolder } from '../storage/folder.js';
import { run } from './process.js';

/** Creates a data directory with files of this total size in its storage. */
async function dataDirectory(folder: string, bytes: number): Promise<string> {
  const data = path.join(folder, 'data');
  const store = await openEmbedded({ directory: path.join(data, 'storage') });
  for (let left = bytes; left > 0; left -= 100_000) await store.put(`/k/${left}`, 'absent', Buffer.alloc(100_000, 32));
  await store.close();
  return data;
}

t.test('a backup does not overwrite an older one, or a target that is not a file', async t => {
  const folder = await temporaryFolder(t);
  const data = await dataDirectory(folder, 100_000);
  const file = path.join(folder, 'backup');
  const save = (...args: readonly string[]) => run(t, 'snapshot', 'save', ...args, '--data-dir', data);
  fs.writeFileSync(file, 'precious');
  const refused = { code: 1, out: '', err: `flagship: ${file} exists already; with --force it is overwritten\n` };
  t.match(await save(file), refused);
  t.equal(fs.readFileSync(file, 'utf8'), 'precious');
  t.match(await save(file, '--force'), { code: 0, err: '' });
  t.match(await save(folder, '--force'), { code: 1, out: '', err: `flagship: ${folder} is no file\n` });
  t.match(await save('/dev/full', '--force'), { code: 1, out: '', err: 'flagship: /dev/full is no file\n' });
  const nowhere = path.join(folder, 'missing', 'backup');
  t.match(await save(nowhere), {
    code: 1,
    out: '',
    err: `flagship: there is no folder ${path.dirname(nowhere)}; no backup was made\n`,
  });
  const below = path.join(file, 'backup');
  t.match(await save(below), { code: 1, out: '', err: `flagship: ${file} is no folder; no backup was made\n` });
  t.same(fs.readdirSync(folder).sort(), ['backup', 'data']);
});

t.test('a target on a full or read-only file system', { skip: noMounts }, async t => {
  const folder = await temporaryFolder(t);
  const data = await dataDirectory(folder, 2_000_000);
  const target = path.join(folder, 'target');
  fs.mkdirSync(target);
  const disk = smallDisk(t, target, 1);
  const file = path.join(target, 'backup');
  const save = (...args: readonly string[]) => run(t, 'snapshot', 'save', file, ...args, '--data-dir', data);
  t.match(await save(), { code: 1, out: '', err: `flagship: no space left for ${file}; no backup was made\n` });
  t.same(fs.readdirSync(target), [], 'no part of the backup is left');
  fs.writeFileSync(file, 'precious');
  t.match(await save('--force'), {
    code: 1,
    out: '',
    err: `flagship: no space left for ${file}; no backup was made\n`,
  });
  t.equal(fs.readFileSync(file, 'utf8'), 'precious', 'the older backup stays');
  disk.remount('ro');
  t.match(await save('--force'), {
    code: 1,
    err: `flagship: ${file} is on a file system that is read-only; no backup was made\n`,
  });
});

t.test(
  'restoring a damaged backup, something that is not a backup, or into a full data directory',
  { skip: noMounts },
  async t => {
    const folder = await temporaryFolder(t);
    const data = await dataDirectory(folder, 2_000_000);
    const file = path.join(folder, 'backup');
    t.match(await run(t, 'snapshot', 'save', file, '--data-dir', data), { code: 0 });
    const target = path.join(folder, 'target');
    fs.mkdirSync(target);
    const disk = smallDisk(t, target, 1);
    const restore = (from: string) => run(t, 'snapshot', 'restore', from, '--data-dir', path.join(target, 'data'));
    const full = {
      code: 1,
      out: '',
      err: `flagship: no space left for the data directory ${path.join(target, 'data')}\n`,
    };
    t.match(await restore(file), full);
    t.same(fs.readdirSync(path.join(disk.folder, 'data')), [], 'no part of the restored data is left');

    const bytes = fs.readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    fs.writeFileSync(file, bytes);
    t.match(await restore(file), {
      code: 1,
      out: '',
      err: `flagship: this is not a complete backup: ${file}: a frame is damaged\n`,
    });
    fs.truncateSync(file, bytes.length >> 2);
    t.match(await restore(file), {
      code: 1,
      out: '',
      err: new RegExp(`^flagship: this is not a complete backup: ${file}: `),
    });
    t.match(await restore(folder), {
      code: 1,
      out: '',
      err: new RegExp(`^flagship: ${folder} cannot be read: EISDIR[^\\n]*\\n$`),
    });
    t.match(await restore(`${file}.not`), { code: 1, out: '', err: `flagship: there is no ${file}.not\n` });
  },
);
