import { etcdProgram, type EtcdProcess, startEtcdProcess } from '../../tools/etcd.js';
import { startLoad } from '../load/start-load.js';
import { merge, type Sample } from '../sample.js';
import { startTarget, type Target } from '../target.js';
import { idle, usageOf } from '../usage.js';
import type { Goal, StorageKind } from './goals.js';
import { measureRow, measureStarts, memory } from './measure.js';
import { printTable, type Result } from './print-table.js';
import { goalsBeside, rows } from './rows.js';

interface TableOptions {
  readonly storage: StorageKind;
  /** Number of workers of the second measured server; the first one has none. */
  readonly workers: number;
  readonly scale: number;
  readonly rounds: number;
  /** A running server to measure instead of Flagship. */
  readonly server?: () => Promise<Target>;
  readonly peer?: () => Promise<Target>;
  /** Substrings of the names of rows; empty for all. */
  readonly only: readonly string[];
  readonly log: (line: string) => void;
}

interface Table {
  readonly storage: StorageKind;
  readonly results: readonly Result[];
  readonly text: string;
}

/** Returns the flags of a server without controllers, with a store of its own. */
const flagsOf = (etcd: EtcdProcess | undefined, name: string): string[] => [
  '--controllers=-*',
  ...(etcd ? [`--etcd-servers=${etcd.endpoint}`, `--etcd-prefix=/${name}`] : []),
];

async function bare(etcd: EtcdProcess | undefined, workers: number, seconds: number): Promise<Target> {
  const name = workers > 0 ? `${workers} workers` : 'flagship';
  const flags = [...flagsOf(etcd, `workers-${workers}`), ...(workers > 0 ? [`--workers=${workers}`] : [])];
  const target = await startTarget(name, flags, { idleSeconds: seconds });
  return etcd ? { ...target, storeUsage: () => usageOf([etcd.pid]) } : target;
}

const starts = 5;
const idleSeconds = 10;

/** Measures the table for one kind of storage. Stops the servers that it has started. */
export async function runTable(options: TableOptions): Promise<Table> {
  const { storage, workers, scale, server, peer } = options;
  const closing: (() => Promise<void>)[] = [];
  const later = <T extends { close(): Promise<void> }>(opened: T): T => {
    closing.unshift(() => opened.close());
    return opened;
  };
  try {
    const etcd = storage === 'etcd' && !server ? await startEtcdProcess() : undefined;
    if (etcd) closing.unshift(() => etcd.stop());
    const load = later(startLoad());
    const results: Result[] = [];
    if (!server) {
      options.log('start');
      const count = Math.max(1, Math.round(starts * scale));
      const sample = await measureStarts(round => flagsOf(etcd, `start-${round}`), count);
      results.push({ goals: goalsBeside.start, ours: { server: 'flagship', sample }, others: [] });
    }
    const seconds = Math.max(1, Math.round(idleSeconds * scale));
    const targets = [later(server ? await server() : await bare(etcd, workers, seconds))];
    if (workers > 0 && !server) targets.push(later(await bare(etcd, 0, seconds)));
    if (peer) targets.push(later(await peer()));
    results.push(resultOf(targets, goalsBeside.idle, ({ idle: before }) => memory('memory, idle', before?.rssBytes)));
    results.push(...(await measureRows(targets, options, load)));
    const after = new Map(targets.map(target => [target, target.usage()?.rssBytes]));
    results.push(resultOf(targets, goalsBeside.after, target => memory('memory, after all that', after.get(target))));
    const quiet = new Map<Target, number | undefined>();
    for (const target of targets) quiet.set(target, (await settled(target, seconds))?.rssBytes);
    results.push(resultOf(targets, [], target => memory('memory, when quiet again', quiet.get(target))));
    if (etcd) {
      const sample = memory('memory of etcd', usageOf([etcd.pid])?.rssBytes);
      results.push({ goals: [], ours: { server: 'etcd', sample }, others: [] });
    }
    return { storage, results, text: printTable(results, storage) };
  } finally {
    for (const close of closing) await close();
  }
}

/** Returns why the storage cannot be measured on this machine; undefined if it can. */
export const unavailable = (storage: StorageKind): string | undefined =>
  storage === 'etcd' && etcdProgram === undefined ? 'there is no etcd on the PATH' : undefined;

const settled = (target: Target, seconds: number) => idle(target.pids, seconds);

function resultOf(targets: readonly Target[], goals: readonly Goal[], of: (target: Target) => Sample): Result {
  const [ours, ...others] = targets.map(target => ({ server: target.name, sample: of(target) }));
  if (!ours) throw new Error('there is no server');
  return { goals, ours, others };
}

/** Measures all rows; the servers alternate. */
async function measureRows(
  targets: readonly Target[],
  { scale, rounds, only, log }: TableOptions,
  load: ReturnType<typeof startLoad>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const row of rows.filter(({ name }) => only.length === 0 || only.some(part => name.includes(part)))) {
    log(row.name);
    const samples = new Map(targets.map(target => [target, [] as Sample[]]));
    for (let round = 0; round < rounds; round++)
      for (const target of round % 2 === 0 ? targets : [...targets].reverse())
        samples.get(target)?.push(await measureRow(target, row, { load, scale, round }));
    results.push(resultOf(targets, row.goals, target => merge(samples.get(target) ?? [])));
  }
  return results;
}
