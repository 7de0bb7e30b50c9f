/** Measures how late the event loop is, and logs what blocked it when it was very late. */
import fs from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { LoopProgress } from '../http/progress.js';
import type { ObserveQueue } from '../../client/runtime/interface.js';
import { histogram, type HistogramSeries } from '../metrics/series.js';
import type { Logger } from '../../lib/logging/interface.js';
import { causeOf, loggedFrom, type Stall, StallLog, type RunningWork } from './stall-log.js';

/** Milliseconds between two checks while there is work, and while there is none: waking an idle process costs more than a check. */
const busyMs = 20;
const idleMs = 200;
/** Consecutive checks without work after which the process counts as idle. */
const idleChecks = 5;
/** Milliseconds. Smaller delays are not counted, since the granularity of timers causes them. */
const minMs = 20;
/** Seconds. */
const bounds = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Reads how long this thread has run, and how long it has waited for a CPU. Linux only: 0 elsewhere. */
class Schedule {
  readonly #file: number | undefined;
  readonly #bytes = Buffer.alloc(80);
  /** Milliseconds. */
  ran = 0;
  waited = 0;

  constructor() {
    try {
      this.#file = fs.openSync('/proc/thread-self/schedstat', 'r');
    } catch {
      // Not Linux, or without these numbers: a stall is logged without its cause.
    }
  }

  get isKnown(): boolean {
    return this.#file !== undefined;
  }

  read(): void {
    if (this.#file === undefined) return;
    const length = fs.readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    const at = this.#number(0, length);
    this.ran = this.#value / 1e6;
    this.#number(at + 1, length);
    this.waited = this.#value / 1e6;
  }

  #value = 0;

  /** Reads digits from `at` on without allocating a string. Returns the index after them. */
  #number(at: number, end: number): number {
    let value = 0;
    for (; at < end; at++) {
      const digit = (this.#bytes[at] ?? 0) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#value = value;
    return at;
  }

  close(): void {
    if (this.#file !== undefined) fs.closeSync(this.#file);
  }
}

interface StallMonitorDeps {
  readonly metrics: Registry;
  readonly log: Logger;
  /** Returns the milliseconds of all garbage collections of this thread that are known so far. */
  readonly collectedMs: () => number;
  readonly signal: AbortSignal;
}

export class StallMonitor {
  readonly #progress = new LoopProgress<RunningWork>();
  #isWatching = false;
  readonly #schedule = new Schedule();
  readonly #log: StallLog;
  readonly #collectedMs: () => number;
  readonly #series: Readonly<Record<'self' | 'machine', HistogramSeries>>;
  readonly #signal: AbortSignal;
  #at = 0;
  /** The timer while there is work. */
  #busy: NodeJS.Timeout | undefined;
  #checksWithoutWork = 0;
  /** The value of `collectedMs` before the pending stall, or at the last check. */
  #collected = 0;
  /** A stall that waits for the next check: the time of garbage collections is known a moment later. */
  #pending: Omit<Stall, 'collecting'> | undefined;

  constructor({ metrics, log, collectedMs, signal }: StallMonitorDeps) {
    const help =
      'Seconds by which the event loop was late, when it was late by 20 ms or more, by who took the time: the process itself, or the machine.';
    const series = histogram(metrics, 'flagship_event_loop_stall_seconds', help, bounds);
    this.#series = { self: series({ cause: 'self' }), machine: series({ cause: 'machine' }) };
    this.#log = new StallLog(log, () => performance.now());
    this.#collectedMs = collectedMs;
    this.#signal = signal;
  }

  /** Starts the checks. They do not include the start of the server, whose work is no stall. */
  start(): void {
    if (this.#signal.aborted) return;
    this.#isWatching = true;
    this.#begin();
    const timer = setInterval(() => this.#check(), idleMs).unref();
    const stop = (): void => {
      clearInterval(timer);
      this.#isWatching = false;
      this.#becomeIdle();
      this.#progress.take();
      this.#schedule.close();
    };
    this.#signal.addEventListener('abort', stop, { once: true });
  }

  /** hot: called at each turn of a request. */
  note(work: RunningWork): void {
    if (!this.#isWatching) return;
    if (this.#busy === undefined) this.#becomeBusy();
    this.#progress.note(work);
  }

  #becomeBusy(): void {
    this.#check(); // The time before is measured with the idle interval.
    this.#checksWithoutWork = 0;
    this.#busy = setInterval(() => this.#check(), busyMs).unref();
  }

  #becomeIdle(): void {
    clearInterval(this.#busy);
    this.#busy = undefined;
  }

  #begin(): void {
    this.#at = performance.now();
    this.#schedule.read();
  }

  /** hot: 50 times a second while there is work. */
  #check(): void {
    const schedule = this.#schedule;
    const { ran, waited } = schedule;
    const late = performance.now() - this.#at - (this.#busy === undefined ? idleMs : busyMs);
    this.#begin();
    this.#checksWithoutWork = this.#progress.isActive ? 0 : this.#checksWithoutWork + 1;
    if (this.#checksWithoutWork > idleChecks) this.#becomeIdle();
    const steps = this.#progress.take();
    if (this.#pending) this.#report(this.#pending);
    if (late < loggedFrom) this.#collected = this.#collectedMs();
    if (late < minMs) return;
    const stall = { late, ran: schedule.ran - ran, waited: schedule.waited - waited, steps, isKnown: schedule.isKnown };
    this.#series[causeOf({ ...stall, collecting: 0 }) === 'machine' ? 'machine' : 'self'].observe(late / 1000);
    if (late >= loggedFrom) this.#pending = stall;
  }

  #report(stall: Omit<Stall, 'collecting'>): void {
    this.#pending = undefined;
    const collected = this.#collectedMs();
    this.#log.log({ ...stall, collecting: collected - this.#collected });
    this.#collected = collected;
  }
}

/** Wraps an observer of work queues, so that the monitor gets the keys that controllers reconcile. */
export const notingQueues =
  (observe: ObserveQueue, monitor: StallMonitor): ObserveQueue =>
  (controller, depth) => {
    const series = observe(controller, depth);
    return {
      added: key => series.added(key),
      retried: () => series.retried(),
      taken(key) {
        monitor.note({ controller, key });
        series.taken(key);
      },
      done(key) {
        monitor.note({ controller, key });
        series.done(key);
      },
    };
  };
