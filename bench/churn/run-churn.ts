/** `npm run bench -- --churn N`: measures memory while Deployments are created and deleted, and while the process is idle afterwards. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { plainNode } from '../../tools/plain-node.js';
import { deployment, deployments, policies, policy } from '../objects.js';
import { markdown } from '../print.js';
import { repeat } from '../repeat.js';
import { startTarget, type Target } from '../target.js';
import { type Mappings, readMappings } from './mappings.js';
import { type ThreadHeap, threadHeaps } from './thread-heaps.js';

interface ChurnOptions {
  readonly rounds: number;
  /** Number of Deployments in a round. */
  readonly count: number;
  /** Seconds for which the idle process is observed. */
  readonly idleSeconds: number;
  /** Flags of `flagship up`. */
  readonly flags: readonly string[];
  readonly log: (line: string) => void;
}

/** The memory at one time. */
export interface ChurnPoint extends Mappings {
  readonly when: string;
  /** Seconds since the process was ready. */
  readonly seconds: number;
  /** Number of writes so far: the revision of the control plane. */
  readonly revision: number;
  readonly threads: readonly ThreadHeap[];
}

const namespace = 'churn';
const replicas = 2;
const width = 16;
const timeoutMs = 300_000;
const pollMs = 250;
/** Times of measurements after the last round, in seconds. */
const idlePoints: readonly number[] = [10, 30, 60, 120, 180, 300, 420, 600];

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly readyReplicas?: number };
  }[];
}

const list = async (target: Target, at: string): Promise<List> =>
  JSON.parse((await target.send('GET', at)).toString('utf8')) as List;

/** Lists until `done` returns true for the items. Throws after five minutes. */
async function until(target: Target, at: string, done: (items: List['items']) => boolean): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!done((await list(target, at)).items)) {
    if (performance.now() > end) throw new Error(`${at} is not as it should be after ${timeoutMs / 1000} s`);
    await pause(pollMs);
  }
}

/** Creates Deployments, waits until the members run them, deletes them, and waits until all of their objects are gone. */
async function round(target: Target, count: number): Promise<void> {
  const all = deployments(namespace);
  const name = (index: number): string => `d-${index}`;
  await repeat({ count, width }, async index => {
    await target.send('POST', all, deployment(name(index), replicas));
  });
  await until(target, all, items => items.filter(({ status }) => status?.readyReplicas === replicas).length === count);
  await repeat({ count, width }, async index => {
    await target.send('DELETE', `${all}/${name(index)}`);
  });
  const works = '/apis/work.karmada.io/v1alpha1/works';
  await until(target, works, items => !items.some(({ metadata }) => metadata.name.startsWith(name(0).slice(0, 2))));
}

/** A Flagship whose memory is measured while Deployments are created and deleted. */
export interface Churn {
  /** Runs rounds one after the other. */
  run(rounds: number, each?: (round: number) => Promise<void>): Promise<void>;
  /** Measures the memory now. */
  point(when: string): Promise<ChurnPoint>;
  close(): Promise<void>;
}

/** Starts a Flagship with a probe in each of its threads. `count` is the number of Deployments in a round. */
export async function startChurn(flags: readonly string[], count: number): Promise<Churn> {
  const probes = await fs.mkdtemp(path.join(os.tmpdir(), 'flagship-heaps-'));
  const probe = new URL('./heap-probe.js', import.meta.url);
  probe.search = encodeURIComponent(probes);
  const target = await startTarget('flagship', flags, { command: [...plainNode, '--import', probe.href] });
  const [pid = 0] = target.pids;
  const began = performance.now();
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await target.send('POST', '/api/v1/namespaces', JSON.stringify(body));
  await target.send('POST', policies(namespace), policy(target.members));
  return {
    async run(rounds, each) {
      for (let number = 1; number <= rounds; number++) {
        await round(target, count);
        await each?.(number);
      }
    },
    async point(when) {
      const { metadata } = await list(target, '/api/v1/namespaces');
      const seconds = Math.round((performance.now() - began) / 1000);
      const revision = Number(metadata.resourceVersion);
      return { when, seconds, revision, threads: threadHeaps(probes), ...readMappings(pid) };
    },
    async close() {
      await target.close();
      await fs.rm(probes, { recursive: true, force: true });
    },
  };
}

const mebibytes = (bytes: number | undefined): string => (bytes === undefined ? '-' : (bytes / 2 ** 20).toFixed(0));

const titles = [
  ...['when', 's', 'revision', 'RSS', 'peak', 'allocator', 'arenas', 'anonymous', 'files'],
  ...['heap used', 'heap RSS', 'buffers', 'members: heap used', 'heap RSS', 'buffers'],
];

function cells(point: ChurnPoint): string[] {
  const { when, seconds, revision, arenas, threads } = point;
  const sizes = [point.residentBytes, point.peakBytes, point.allocatorBytes];
  const [main, members] = threads;
  const heaps = [main, members].flatMap(heap => [heap?.usedBytes, heap?.residentBytes, heap?.bufferBytes]);
  return [
    ...[when, String(seconds), String(revision), ...sizes.map(mebibytes), String(arenas)],
    ...[point.anonymousBytes, point.fileBytes, ...heaps].map(mebibytes),
  ];
}

/** Returns the points as a Markdown table, in MiB. */
export const churnTable = (points: readonly ChurnPoint[]): string => markdown([titles, ...points.map(cells)], 1);

/** Starts Flagship, creates and deletes Deployments, measures the idle process, and stops it. */
export async function runChurn({ rounds, count, idleSeconds, flags, log }: ChurnOptions): Promise<ChurnPoint[]> {
  const churn = await startChurn(flags, count);
  const points: ChurnPoint[] = [];
  const note = async (when: string): Promise<void> => {
    const point = await churn.point(when);
    points.push(point);
    log(cells(point).join('  '));
  };
  try {
    await note('start');
    await churn.run(rounds, number => note(`round ${number}`));
    const ended = performance.now();
    for (const seconds of idlePoints.filter(each => each <= idleSeconds)) {
      await pause(Math.max(0, ended + seconds * 1000 - performance.now()));
      await note(`idle ${seconds} s`);
    }
    return points;
  } finally {
    await churn.close();
  }
}
