import fs from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import t from 'tap';
import { openLogFile, type LogFileOptions } from '../../../apiserver/audit/log-file.js';
import { temporaryFolder } from '../running.js';

const usual = { maxSize: 1, maxAge: 0, maxBackups: 0, onFailure: () => undefined } satisfies Partial<LogFileOptions>;

t.test('lines are written to a file with mode 0600', async t => {
  const file = path.join(await temporaryFolder(t), 'new', 'audit.log');
  const log = await openLogFile({ ...usual, path: file });
  for (let i = 0; i < 1000; i++) log.write(`line ${i}`);
  await log.close();
  const lines = (await fs.readFile(file, 'utf8')).split('\n');
  t.equal(lines.length, 1001);
  t.equal(lines[999], 'line 999');
  t.equal((await fs.stat(file)).mode & 0o777, 0o600);
  const again = await openLogFile({ ...usual, path: file });
  again.write('more');
  await again.close();
  t.match(await fs.readFile(file, 'utf8'), /line 999\nmore\n$/);
});

t.test('a full file is rotated, and old ones are deleted', async t => {
  const folder = await temporaryFolder(t);
  let now = Date.UTC(2026, 0, 1);
  const options = { ...usual, path: path.join(folder, 'audit.log'), maxBackups: 2, now: () => new Date((now += 1000)) };
  const line = 'x'.repeat(300 * 1024);
  const writeOne = async (more: Partial<LogFileOptions> = {}): Promise<void> => {
    const log = await openLogFile({ ...options, ...more });
    log.write(line);
    await log.close();
  };
  for (let i = 0; i < 16; i++) await writeOne();
  const names = (await fs.readdir(folder)).sort();
  t.equal(names.length, 3, names.join());
  t.match(names[0], /^audit-2026-01-01T00-00-\d\d\.000\.log$/);
  for (const name of names) {
    const { size } = await fs.stat(path.join(folder, name));
    t.equal(size % (line.length + 1), 0, 'complete lines');
  }
  const old = path.join(folder, names[0] ?? '');
  now += 40 * 24 * 3600 * 1000;
  for (let i = 0; i < 5; i++) await writeOne({ maxBackups: 0, maxAge: 30 });
  await t.rejects(fs.stat(old), { code: 'ENOENT' });
});

t.test('on a full disk, lines that exceed the buffer are lost and reported', async t => {
  const reports: string[] = [];
  const log = await openLogFile({
    ...usual,
    path: '/dev/full',
    buffer: 100,
    onFailure: (error, lost) => reports.push(`${(error as NodeJS.ErrnoException).code} ${lost}`),
  });
  t.ok(log.write('a'.repeat(60)));
  while (reports.length === 0) await immediate();
  t.equal(reports[0], 'ENOSPC 0');
  t.notOk(log.write('a'.repeat(60)));
  t.equal(log.lost, 1);
  await log.close();
  t.equal(reports.at(-1), 'ENOSPC 1');
});

t.test('a path where no file can be created', async t => {
  await t.rejects(openLogFile({ ...usual, path: '/dev/null/audit.log' }), { message: /cannot be opened/ });
});

t.test('several processes write to one file', async t => {
  const folder = await temporaryFolder(t);
  const options = { ...usual, path: path.join(folder, 'audit.log') };
  const logs = await Promise.all([openLogFile(options), openLogFile(options)]);
  const line = 'x'.repeat(200 * 1024);
  for (let i = 0; i < 10; i++) {
    for (const log of logs) log.write(line);
    await immediate();
  }
  await Promise.all(logs.map(log => log.close()));
  let lines = 0;
  for (const name of await fs.readdir(folder))
    lines += (await fs.readFile(path.join(folder, name), 'utf8')).split('\n').filter(text => text === line).length;
  t.equal(lines, 20, 'no line is lost or torn');
});

t.test('processes that find a file full at the same time rotate it once', async t => {
  const folder = await temporaryFolder(t);
  const options = { ...usual, path: path.join(folder, 'audit.log') };
  const logs = await Promise.all(Array.from({ length: 4 }, () => openLogFile(options)));
  const line = 'x'.repeat(20 * 1024);
  const sizes = async (): Promise<ReadonlyMap<string, number>> => {
    const names = await fs.readdir(folder);
    const stats = names.map(
      async name => [name, (await fs.stat(path.join(folder, name)).catch(() => undefined))?.size ?? 0] as const,
    );
    return new Map(await Promise.all(stats));
  };
  const written = async (): Promise<number> => [...(await sizes()).values()].reduce((sum, size) => sum + size, 0);
  for (let round = 1; round <= 60; round++) {
    for (const log of logs) log.write(line);
    while ((await written()) < round * logs.length * (line.length + 1)) await immediate();
  }
  await Promise.all(logs.map(log => log.close()));
  const old = [...(await sizes())].filter(([name]) => name !== 'audit.log');
  t.equal(old.length, 4, 'files of 51 lines');
  for (const [, size] of old) t.ok(size > 900 * 1024, `no new file is rotated: ${size}`);
});
