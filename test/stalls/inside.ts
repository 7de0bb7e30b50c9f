/**
 * Loaded into the server process (`--import`). Measures how long its event loop stands still, and answers the questions of the parent process
 * over the IPC channel: see `Question`.
 */
import fs from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** The longest times, in milliseconds, for which the event loop stood still. */
export interface Stall {
  /** Time of the main thread on a CPU: a busy machine changes little of it. */
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
const none = { own: 0, wall: 0, cpu: 0 };

/** Milliseconds of CPU that `work` took on a machine of 2025. */
const usualWork = 5;
const text = JSON.stringify(
  Array.from({ length: 5000 }, (_, i) => ({ name: `name-${i}`, labels: { app: `a${i}` }, i })),
);

function work(): void {
  const list = JSON.parse(text) as { readonly name: string }[];
  list.sort((a, b) => (a.name < b.name ? 1 : -1));
  JSON.stringify(list);
}

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
  #longest = none;

  begin(): void {
    this.#at = performance.now();
    [this.#ran, this.#waited] = this.#schedule.read();
  }

  forget(): void {
    this.begin();
    this.#longest = none;
  }

  look(): void {
    const [at, ran, waited] = [this.#at, this.#ran, this.#waited];
    this.begin();
    const wall = Math.max(0, this.#at - at - everyMs);
    const own = Math.max(0, wall - (this.#waited - waited));
    const longest = this.#longest;
    if (wall <= 0) return;
    this.#longest = {
      cpu: Math.max(longest.cpu, this.#ran - ran),
      own: Math.max(longest.own, own),
      wall: Math.max(longest.wall, wall),
    };
  }

  get longest(): Stall {
    this.look();
    const slowness = this.#slowness();
    this.begin();
    return { ...this.#longest, slowness };
  }

  #slowness(): number {
    const rounds = 20;
    work(); // Compiled at the first time.
    const [before] = this.#schedule.read();
    for (let i = 0; i < rounds; i++) work();
    const [after] = this.#schedule.read();
    return Math.max(1, (after - before) / rounds / usualWork);
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
