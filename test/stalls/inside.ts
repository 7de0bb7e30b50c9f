/**
 * Loaded into the server process (`--import`). Measures how long its event loop stands still, and answers the questions of the parent process
 * over the IPC channel: see `Question`.
 */
import fs from 'node:fs';
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { slownessNow } from './slowness.js';

/** The longest times, in milliseconds, for which the event loop stood still. */
export interface Stall {
  /** Time of the main thread on a CPU, without collections of the whole heap: a busy machine changes little of it. */
  readonly cpu: number;
  /** Time on the clock without the time in which the main thread waited for a CPU. Threads of the engine that it waits for may have waited, too. */
  readonly own: number;
  readonly wall: number;
  /** How much longer this machine computes now than the one on which the limits were set; 1 when it is as fast or faster. */
  readonly slowness: number;
}

/** `begin` forgets the stalls so far; `stall` asks for the longest since; `memory` collects the garbage first. */
export type Question = 'begin' | 'stall' | 'memory';

export interface Reply {
  readonly id: number;
  readonly stall?: Stall;
  readonly memory?: NodeJS.MemoryUsage;
}

const everyMs = 2;
/** A time between two looks, by `performance.now()`. */
interface Gap extends Omit<Stall, 'slowness'> {
  readonly from: number;
  readonly to: number;
}

/** Milliseconds. */
const minWall = 5;
const maxGaps = 100;
const maxCollections = 1000;

/** Reads /proc/self/schedstat, which tells of the main thread: nanoseconds on a CPU, and nanoseconds in which it waited for one. */
class Schedule {
  readonly #file = fs.openSync('/proc/self/schedstat', 'r');
  readonly #bytes = Buffer.alloc(80);

  read(): readonly [ran: number, waited: number] {
    const length = fs.readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    const [ran = 0, waited = 0] = this.#bytes.toString('latin1', 0, length).split(' ').map(Number);
    return [ran / 1e6, waited / 1e6];
  }
}

class Watchman {
  readonly #schedule = new Schedule();
  #at = 0;
  #ran = 0;
  #waited = 0;
  #gaps: Gap[] = [];
  readonly #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver(list => this.#keep(list.getEntries()));

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  begin(): void {
    this.#at = performance.now();
    [this.#ran, this.#waited] = this.#schedule.read();
  }

  forget(): void {
    this.begin();
    this.#gaps = [];
  }

  look(): void {
    const [at, ran, waited] = [this.#at, this.#ran, this.#waited];
    this.begin();
    const wall = this.#at - at - everyMs;
    if (wall < minWall) return;
    const gap = {
      from: at,
      to: this.#at,
      wall,
      own: Math.max(0, wall - (this.#waited - waited)),
      cpu: this.#ran - ran,
    };
    this.#gaps.push(gap);
    if (this.#gaps.length > 2 * maxGaps) this.#shorten();
  }

  #shorten(): void {
    this.#gaps.sort((a, b) => b.cpu - a.cpu);
    this.#gaps.length = Math.min(this.#gaps.length, maxGaps);
  }

  get longest(): Stall {
    this.look();
    this.#keep(this.#observer.takeRecords());
    const longest = { cpu: 0, own: 0, wall: 0 };
    for (const gap of this.#gaps) {
      longest.cpu = Math.max(longest.cpu, gap.cpu - this.#collectingIn(gap));
      longest.own = Math.max(longest.own, gap.own);
      longest.wall = Math.max(longest.wall, gap.wall);
    }
    const slowness = slownessNow(() => this.#schedule.read()[0]);
    this.begin();
    return { ...longest, slowness };
  }

  /** Milliseconds of collections of the whole heap: how long they take depends on the memory in use and on the CPUs that are free for them. */
  #collectingIn({ from, to }: Gap): number {
    let sum = 0;
    for (const { startTime, duration } of this.#collections)
      sum += Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
    return sum;
  }

  #keep(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries)
      if ((entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR)
        this.#collections.push(entry);
    if (this.#collections.length > maxCollections) this.#collections.splice(0, maxCollections / 2);
  }
}

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc'); // Not before: compiled code that was kept is taken with the same flags only.
  (vm.runInNewContext('gc') as () => void)();
}

if (isMainThread && process.send) {
  const watchman = new Watchman();
  const answers: Readonly<Record<Question, () => Omit<Reply, 'id'>>> = {
    begin() {
      watchman.forget();
      return {};
    },
    stall: () => ({ stall: watchman.longest }),
    memory() {
      watchman.look();
      collectGarbage();
      watchman.begin();
      return { memory: process.memoryUsage() };
    },
  };
  process.on('message', ({ id, question }: { readonly id: number; readonly question: Question }) => {
    process.send?.({ id, ...answers[question]() });
  });
  process.channel?.unref(); // The server ends as it does without a parent that asks.
  process.on('disconnect', () => process.exit(1)); // A test that was killed leaves no server behind.
  watchman.begin();
  setInterval(() => watchman.look(), everyMs).unref();
}
