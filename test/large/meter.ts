/**
 * Loaded into a server process (`node --import`): measures how long its event loop is held. Between two ticks of a short timer the CPU time of
 * the main thread is what one turn, or a few that follow each other within the period of the timer, has cost; time in which the thread waits
 * for a processor is not counted, so a busy machine changes little of the result, nor are collections of the whole heap.
 */
import { openSync, readSync } from 'node:fs';
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { slownessNow } from '../stalls/slowness.js';

/** What the server tells when it is asked. */
export interface Reading {
  /** Longest time that the loop was held since the last reading, in milliseconds of CPU. */
  readonly longestMs: number;
  /** All CPU time of the main thread since the last reading, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** How much longer this machine computes now than the one on which the limits were set; at least 1. */
  readonly slowness: number;
}

/** `reading`: what there was since the last one. `slowness`: the same, after the speed of the machine was measured. */
export type Question = 'reading' | 'slowness';

const periodMs = 2;
/** The server is quiet when so many ticks in a row have cost next to nothing. */
const quietTicks = 12;
const nextToNothingMs = 1;

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

/** Shorter times are not kept. */
const minMs = 5;

let last = cpuMs();
let lastAt = performance.now();
let begun = last;
let held: Held[] = [];
let collections: PerformanceEntry[] = [];
let quiet = 0;
let asked: Question | undefined;
let slowness = 1;

new PerformanceObserver(list => {
  for (const entry of list.getEntries())
    if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
      collections.push(entry);
}).observe({ entryTypes: ['gc'] });

/** Milliseconds for which the whole heap was collected meanwhile. */
const collecting = ({ from, to }: Held): number =>
  collections.reduce(
    (sum, { startTime, duration }) => sum + Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime)),
    0,
  );

function answer(question: Question): void {
  const longestMs = held.reduce((max, one) => Math.max(max, one.cpu - collecting(one)), 0);
  const reading = { longestMs, cpuMs: cpuMs() - begun, rss: process.memoryUsage.rss() };
  if (question === 'slowness') slowness = slownessNow(cpuMs);
  held = [];
  collections = [];
  begun = last = cpuMs();
  lastAt = performance.now();
  const told: Reading = { ...reading, slowness };
  process.send?.(told);
}

function tick(): void {
  const [from, before] = [lastAt, last];
  lastAt = performance.now();
  last = cpuMs();
  const cpu = last - before;
  if (cpu >= minMs) held.push({ from, to: lastAt, cpu });
  quiet = cpu < nextToNothingMs ? quiet + 1 : 0;
  if (!asked || quiet < quietTicks) return;
  const question = asked;
  asked = undefined;
  answer(question);
}

setInterval(tick, periodMs).unref();
// Answered once the server has nothing left to do.
process.on('message', (question: Question) => {
  quiet = 0;
  asked = question;
});
process.channel?.unref();
