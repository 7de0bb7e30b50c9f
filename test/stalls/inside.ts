/**
 * Loaded into the server process (`--import`). Measures how long its event loop is blocked, and serves the commands of the parent process over the
 * IPC channel: see `Command`.
 */
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { slownessNow, slownessOfFaults } from './slowness.js';
import { ThreadUsage, type Usage } from './thread-usage.js';

/** The longest times, in milliseconds, for which the event loop was blocked. */
export interface Stall {
  /**
   * CPU time of the main thread, without major garbage collections, and without what page faults take longer than usual: a busy machine changes
   * little of it.
   */
  readonly cpu: number;
  /** Wall-clock time without the time in which the main thread waited for a CPU. Threads of V8 that it waits for may have waited, too. */
  readonly scheduled: number;
  /** Wall-clock time. */
  readonly wall: number;
}

/**
 * `begin` discards the stalls so far; `stall` returns the longest since; `slowness` returns the ratio of computing times, of this machine now to the
 * one on which the limits were set, at least 1; `memory` returns the memory usage after a garbage collection.
 */
export type Command = 'begin' | 'stall' | 'slowness' | 'memory';

export interface Reply {
  readonly id: number;
  readonly stall?: Stall;
  readonly slowness?: number;
  readonly memory?: NodeJS.MemoryUsage;
}

const everyMs = 2;
/** The time between two samples, by `performance.now()`. */
interface Gap extends Stall {
  readonly from: number;
  readonly to: number;
  /** Page faults of the main thread. */
  readonly faults: number;
}

/** Shorter gaps are not recorded, in milliseconds. */
const minWall = 5;
const maxGaps = 100;
/** The time of page faults is not measured for shorter stalls, in milliseconds of CPU: it takes time itself, and they are far below every limit. */
const minCorrected = 15;
const maxCollections = 1000;

class StallMonitor {
  readonly #usage = new ThreadUsage();
  #at = 0;
  #used: Usage = { ran: 0, waited: 0, faults: 0 };
  #gaps: Gap[] = [];
  readonly #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver(list => this.#addCollections(list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  begin(): void {
    this.#at = performance.now();
    this.#used = this.#usage.read();
  }

  reset(): void {
    this.begin();
    this.#gaps = [];
  }

  sample(): void {
    const [at, used] = [this.#at, this.#used];
    this.begin();
    const wall = this.#at - at - everyMs;
    if (wall < minWall) return;
    const gap = {
      from: at,
      to: this.#at,
      wall,
      scheduled: Math.max(0, wall - (this.#used.waited - used.waited)),
      cpu: this.#used.ran - used.ran,
      faults: this.#used.faults - used.faults,
    };
    this.#gaps.push(gap);
    if (this.#gaps.length > 2 * maxGaps) this.#shorten();
  }

  #shorten(): void {
    this.#gaps.sort((a, b) => b.cpu - a.cpu);
    this.#gaps.length = Math.min(this.#gaps.length, maxGaps);
  }

  get longest(): Stall {
    this.sample();
    this.#addCollections(this.#observer.takeRecords());
    const stalls = this.#gaps.map(gap => ({ ...gap, cpu: gap.cpu - this.#collectingIn(gap) }));
    const isCorrected = stalls.some(({ cpu }) => cpu >= minCorrected);
    const faultMs = isCorrected ? slownessOfFaults(this.#cpuMs) : 0;
    const longest = { cpu: 0, scheduled: 0, wall: 0 };
    for (const stall of stalls) {
      longest.cpu = Math.max(longest.cpu, stall.cpu - stall.faults * faultMs);
      longest.scheduled = Math.max(longest.scheduled, stall.scheduled);
      longest.wall = Math.max(longest.wall, stall.wall);
    }
    this.begin();
    return longest;
  }

  measureSlowness(): number {
    this.sample();
    const slowness = slownessNow(this.#cpuMs);
    this.begin();
    return slowness;
  }

  readonly #cpuMs = (): number => this.#usage.read().ran;

  /** Returns milliseconds of major garbage collections: their time depends on the memory in use and on the free CPUs. */
  #collectingIn({ from, to }: Gap): number {
    let sum = 0;
    for (const { startTime, duration } of this.#collections)
      sum += Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
    return sum;
  }

  #addCollections(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries)
      if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        this.#collections.push(entry);
    if (this.#collections.length > maxCollections) this.#collections.splice(0, maxCollections / 2);
  }
}

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc'); // Not set earlier: cached compiled code is only used with the same flags.
  (vm.runInNewContext('gc') as () => void)();
}

if (isMainThread && process.send) {
  const monitor = new StallMonitor();
  const handlers: Readonly<Record<Command, () => Omit<Reply, 'id'>>> = {
    begin() {
      monitor.reset();
      return {};
    },
    stall: () => ({ stall: monitor.longest }),
    slowness: () => ({ slowness: monitor.measureSlowness() }),
    memory() {
      monitor.sample();
      collectGarbage();
      monitor.begin();
      return { memory: process.memoryUsage() };
    },
  };
  process.on('message', ({ id, command }: { readonly id: number; readonly command: Command }) => {
    process.send?.({ id, ...handlers[command]() });
  });
  process.channel?.unref(); // The channel does not keep the server running.
  process.on('disconnect', () => process.exit(1)); // The server ends with a test that was killed.
  monitor.begin();
  setInterval(() => monitor.sample(), everyMs).unref();
}
