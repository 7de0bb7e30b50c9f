/** `npm run bench -- --scheduling-memory`: measures what the scheduler keeps in memory for more and more bindings and clusters. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { plainNode } from '../../tools/plain-node.js';
import { markdown } from '../print.js';

/** The memory after decisions, in bytes of objects in the heap. */
export interface SchedulingMemory {
  readonly bindings: number;
  readonly clusters: number;
  /** The number of targets of all bindings together. */
  readonly targets: number;
  /** What the bindings and clusters take by themselves. */
  readonly inputBytes: number;
  /** What the scheduler keeps. */
  readonly keptBytes: number;
  /** What the decisions take until they are written. */
  readonly targetBytes: number;
}

/** The sizes of fleets that are measured. */
export const fleets: readonly (readonly [bindings: number, clusters: number])[] = [
  [1000, 200],
  [2500, 500],
  [5000, 1000],
];

/** Schedules bindings that were never scheduled in a process of its own, and measures what remains. */
export async function schedulingMemory(bindings: number, clusters: number): Promise<SchedulingMemory> {
  const program = fileURLToPath(new URL('./memory-child.js', import.meta.url));
  // Optimised code is in the heap as well, in some runs a third more than in others.
  const flags = ['--expose-gc', '--no-opt'];
  const [command, ...args] = [...plainNode, ...flags, program, String(bindings), String(clusters)];
  const { stdout } = await promisify(execFile)(command, args);
  return JSON.parse(stdout) as SchedulingMemory;
}

const titles = ['bindings', 'clusters', 'targets', 'input MiB', 'kept MiB', 'targets MiB', 'kept bytes per target'];
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

/** Returns the measurements as a Markdown table. */
export const schedulingMemoryTable = (measured: readonly SchedulingMemory[]): string =>
  markdown(
    [
      titles,
      ...measured.map(({ bindings, clusters, targets, inputBytes, keptBytes, targetBytes }) => [
        ...[bindings, clusters, targets].map(String),
        ...[inputBytes, keptBytes, targetBytes].map(mebibytes),
        (keptBytes / Math.max(1, targets)).toFixed(0),
      ]),
    ],
    0,
  );
