/** Limits the time of running expressions: of each, of all in a request, and between turns of the event loop. */
import { nextTurn } from '../../time-slice.js';
import { Cancelled } from '../cancelled.js';

/** All in milliseconds. */
interface PaceLimits {
  /** One expression without a pause: for so long the event loop serves nothing else. */
  readonly stretch: number;
  /** One expression with all its pauses. */
  readonly evaluation: number;
  /** All expressions that share a pace. */
  readonly request: number;
  /** A turn, after which the event loop should serve other work (`isTurnOver`). */
  readonly turn: number;
}

const defaults: PaceLimits = { stretch: 35, evaluation: 1000, request: 3000, turn: 10 };

/**
 * Returns a clock of the milliseconds for which this process has worked: it stops while the process waits for a CPU. With several busy threads
 * it is limited to wall time.
 */
export function workClock(): () => number {
  let worked = 0;
  let [wall, processor] = [performance.now(), process.cpuUsage()];
  return () => {
    const [now, used] = [performance.now(), process.cpuUsage()];
    const ms = (used.user - processor.user + used.system - processor.system) / 1000;
    worked += Math.min(now - wall, ms);
    [wall, processor] = [now, used];
    return worked;
  };
}

/** Cost and steps of short expressions between two reads of the clock. */
const unitsBetweenChecks = 20_000;

/**
 * Measures the expressions of one request. Running expressions read the clock at intervals; short ones only add up their cost and steps. Belongs
 * to one request, and is not shared.
 */
export class Pace {
  private readonly limits: PaceLimits;
  private readonly makeClock: () => () => number;
  private clock: (() => number) | undefined;
  private turnStart = 0;
  /** When the running expression last read the clock; undefined: not yet. */
  private lastCheck: number | undefined;
  private running = 0;
  private ofStretch = 0;
  private ofEvaluation = 0;
  private ofRequest = 0;
  private units = 0;
  private turnOver = false;

  /** `clock` creates a monotonic clock of milliseconds, when it is first needed. */
  constructor(limits: Partial<PaceLimits> = {}, clock: () => () => number = workClock) {
    this.limits = { ...defaults, ...limits };
    this.makeClock = clock;
  }

  /** Reads the clock. The first read begins the first turn. */
  private now(): number {
    if (this.clock) return this.clock();
    this.clock = this.makeClock();
    this.turnStart = this.clock();
    return this.turnStart;
  }

  /** Reports that an expression starts, or continues after a pause. Expressions that it runs in turn count as a part of it. */
  begin(resumes = false): void {
    if (this.running++ > 0) return;
    this.lastCheck = undefined;
    this.ofStretch = 0;
    if (!resumes) this.ofEvaluation = 0;
  }

  /** Reads the clock for the running expression. Throws Cancelled when it has run for too long. */
  checkTime(): void {
    const now = this.now();
    const gap = this.lastCheck === undefined ? 0 : now - this.lastCheck;
    this.lastCheck = now;
    this.ofStretch += gap;
    this.ofEvaluation += gap;
    this.ofRequest += gap;
    this.turnOver ||= now - this.turnStart > this.limits.turn;
    const { stretch, evaluation } = this.limits;
    if (this.ofStretch > stretch) throw new Cancelled(`the expression takes longer than ${stretch} ms without a pause`);
    if (this.ofEvaluation > evaluation) throw new Cancelled(`the expression takes longer than ${evaluation} ms`);
    if (this.ofRequest > this.limits.request)
      throw new Cancelled(`the expressions of the request take longer than ${this.limits.request} ms`);
  }

  /** Reports that the expression has ended. `units`: its cost and steps. */
  end(units: number): void {
    this.running--;
    this.count(units);
  }

  /** Counts other work, in units of cost and steps. */
  count(units: number): void {
    this.units += units;
    if (this.units < unitsBetweenChecks) return;
    this.units = 0;
    this.turnOver ||= this.now() - this.turnStart > this.limits.turn;
  }

  /** Whether other work should get a turn before the next expression. */
  get isTurnOver(): boolean {
    return this.turnOver;
  }

  /** Lets the event loop serve other work. */
  async nextTurn(): Promise<void> {
    await nextTurn();
    this.beginTurn();
  }

  /** Starts a turn. Called after other work has run. */
  beginTurn(): void {
    this.turnStart = this.now();
    this.turnOver = false;
  }
}
