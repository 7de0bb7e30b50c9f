/**
 * Loaded into a server process (`node --import`), where it measures how long the event loop is held: by the CPU time of the main thread between
 * two ticks of a short timer, which is that of one turn of the loop, or of a few short ones. The time that the thread waits for a processor is
 * not counted, so that the result depends little on other load, and neither are collections of the whole heap.
 */
import { openSync, readSync } from 'node:fs';
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { slownessNow } from '../stalls/slowness.js';

/** A measurement since the last one. */
export interface Reading {
  /** The longest time that the loop was held, in milliseconds of CPU. */
  readonly longestMs: number;
  /** All CPU time of the main thread, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** The factor by which this machine is now slower than the one for which limits are defined; at least 1. */
  readonly slowness: number;
}

/** `reading` asks for a reading; `slowness` also measures the speed of the machine first. */
export type Question = 'reading' | 'slowness';

const periodMs = 2;
/** The server is idle when this many ticks in a row have taken less than `idleTickMs`. */
const idleTicks = 12;
const idleTickMs = 1;

const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const bytes = Buffer.alloc(64);

function cpuMs(): number {
  const length = readSync(schedstat, bytes, 0, bytes.length, 0);
  return Number.parseInt(bytes.toString('latin1', 0, length), 10) / 1e6;
}

/** The time between two ticks, by `performance.now()`. */
interface Held {
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
}

/** Shorter times are not recorded. */
const minMs = 5;

let last = cpuMs();
let lastAt = performance.now();
let firstCpu = last;
let held: Held[] = [];
let collections: PerformanceEntry[] = [];
let idle = 0;
let pending: Question | undefined;
let slowness = 1;

new PerformanceObserver(list => {
  for (const entry of list.getEntries())
    if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      collections.push(entry);
}).observe({ entryTypes: ['gc'] });

/** Returns the milliseconds in which the whole heap was collected. */
const collecting = ({ from, to }: Held): number =>
  collections.reduce(
    (sum, { startTime, duration }) => sum + Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime)),
    0,
  );

function answer(question: Question): void {
  const longestMs = held.reduce((max, one) => Math.max(max, one.cpu - collecting(one)), 0);
  const reading = { longestMs, cpuMs: cpuMs() - firstCpu, rss: process.memoryUsage.rss() };
  if (question === 'slowness') slowness = slownessNow(cpuMs);
  held = [];
  collections = [];
  firstCpu = last = cpuMs();
  lastAt = performance.now();
  const message: Reading = { ...reading, slowness };
  process.send?.(message);
}

function tick(): void {
  const [from, before] = [lastAt, last];
  lastAt = performance.now();
  last = cpuMs();
  const cpu = last - before;
  if (cpu >= minMs) held.push({ from, to: lastAt, cpu });
  idle = cpu < idleTickMs ? idle + 1 : 0;
  if (!pending || idle < idleTicks) return;
  const question = pending;
  pending = undefined;
  answer(question);
}

setInterval(tick, periodMs).unref();
// Questions are answered once the server is idle.
process.on('message', (question: Question) => {
  idle = 0;
  pending = question;
});
process.channel?.unref();
