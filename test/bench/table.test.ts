/** `npm run bench -- --table apiserver`, with as little to do as there can be. */
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { compareWithGoals } from '../../bench/table/goals.js';
import { rows } from '../../bench/table/rows.js';
import { plainNode } from '../../tools/plain-node.js';
import { withoutEtcd } from '../storage/etcd-server.js';
import { temporaryFolder } from '../storage/folder.js';

const program = fileURLToPath(new URL('../../bench/main.js', import.meta.url));
const skip = process.platform === 'linux' ? false : 'there is no /proc to read';

interface Line {
  readonly server: string;
  readonly name: string;
  readonly count: number;
  readonly p99: number | null;
  readonly cpuSeconds?: number;
  readonly rssBytes?: number;
}

interface Table {
  readonly storage: string;
  readonly results: readonly { readonly ours: Line; readonly others: readonly Line[] }[];
}

async function bench(t: Test, ...flags: string[]): Promise<{ text: string; tables: readonly Table[] }> {
  const [command, ...node] = plainNode;
  const file = path.join(await temporaryFolder(t), 'results.json');
  const args = [...node, program, '--table=apiserver', '--percent=1', `--json=${file}`, ...flags];
  const { stdout } = await promisify(execFile)(command, args);
  return { text: stdout, tables: JSON.parse(await fs.readFile(file, 'utf8')) as Table[] };
}

t.test('all rows, on a bare server', { skip, timeout: 300_000 }, async t => {
  const { text, tables } = await bench(t, '--storage=embedded');
  const [table] = tables;
  t.equal(tables.length, 1);
  t.equal(table?.storage, 'embedded');
  for (const { name } of rows) {
    const result = table?.results.find(({ ours }) => ours.name === name);
    t.ok(result && result.ours.count > 0 && (result.ours.p99 ?? 0) > 0, name);
    t.ok((result?.ours.rssBytes ?? 0) > 2 ** 20, `${name}: the memory of the server`);
    t.ok(text.includes(`| ${name} `), `${name} is printed`);
  }
  const watch = table?.results.find(({ ours }) => ours.name.startsWith('watch'))?.ours;
  t.equal(watch?.count, 10 * 5, 'a delivery for each watcher and write');
});

t.test('on etcd, with workers beside none', { skip: skip || withoutEtcd, timeout: 300_000 }, async t => {
  const { text, tables } = await bench(t, '--storage=etcd', '--workers=1', '--only=GET,HTTP/2');
  t.same(
    tables[0]?.results.map(({ ours, others }) => [ours.name, ours.server, ...others.map(({ server }) => server)]),
    [
      ['start to /readyz, empty store', 'flagship'],
      ['memory, idle', '1 workers', 'flagship'],
      ['GET 1 KiB x32', '1 workers', 'flagship'],
      ['GET 1 KiB x32 over one HTTP/2 connection', '1 workers', 'flagship'],
      ['watch 50/s x 1000, 10 connections (HTTP/2)', '1 workers', 'flagship'],
      ['memory, after all that', '1 workers', 'flagship'],
      ['memory, when quiet again', '1 workers', 'flagship'],
      ['memory of etcd', 'etcd'],
    ],
  );
  t.match(text, /\| ratio to flagship +\|/);
});

t.test('goals are printed beside the measured values', async t => {
  const sample = { name: 'x', count: 100, seconds: 0.01, latencies: [1, 2, 3, 9], cpuSeconds: 0.02 };
  const cases = [
    {
      name: 'reached',
      given: [{ metric: 'rate', value: { embedded: 8000, etcd: 20_000 } }],
      storage: 'embedded',
      expect: { wanted: '8000/s', measured: '10000/s', met: true },
    },
    {
      name: 'by storage',
      given: [{ metric: 'rate', value: { embedded: 8000, etcd: 20_000 } }],
      storage: 'etcd',
      expect: { wanted: '20000/s', measured: '10000/s', met: false },
    },
    {
      name: 'all of several',
      given: [
        { metric: 'p50', value: 5 },
        { metric: 'p99', value: 8 },
        { metric: 'each', value: 200 },
        { metric: 'cores', value: 2 },
      ],
      storage: 'embedded',
      expect: {
        wanted: 'p50 5 ms, p99 8 ms, 200 us, 2 cores',
        measured: 'p50 2.00 ms, p99 9.00 ms, 200 us, 2.00 cores',
        met: false,
      },
    },
    {
      name: 'what is not known',
      given: [{ metric: 'rss', value: 110 }],
      storage: 'embedded',
      expect: { wanted: '110 MiB', measured: '-' },
    },
  ] as const;
  for (const { name, given, storage, expect } of cases) t.same(compareWithGoals(sample, given, storage), expect, name);
});
