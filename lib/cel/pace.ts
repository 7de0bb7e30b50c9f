/** The time that running expressions have: alone, together in one request, and before others get their turn. */
import { nextTurn } from '../time-slice.js';
import { Cancelled } from './cancelled.js';

/** Milliseconds. */
export interface PaceLimits {
  /** Of one expression without a pause: so long nobody else is served. */
  readonly stretch: number;
  /** Of one expression with all its pauses. */
  readonly evaluation: number;
  /** Of all expressions that share a pace. */
  readonly request: number;
  /** After it the event loop should serve others (`isTurnOver`). */
  readonly turn: number;
}

const usual: PaceLimits = { stretch: 50, evaluation: 1000, request: 3000, turn: 10 };

/**
 * A clock that tells the milliseconds that this process has worked: it stands while the process waits for a processor. Where several threads work
 * it is not faster than time.
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

/** Short expressions are so many, by their costs and steps, before the clock is looked at. */
const unitsBetweenLooks = 20_000;

/**
 * Measures the expressions of one request. Running expressions look at the clock once in a while, short ones never do: their costs and steps are
 * added up. Owned by who evaluates; not shared between requests.
 */
export class Pace {
  private readonly limits: PaceLimits;
  private readonly makeClock: () => () => number;
  private clock: (() => number) | undefined;
  private turnStart = 0;
  /** When the expression that runs was last looked at; undefined: not yet. */
  private lastLook: number | undefined;
  private running = 0;
  private ofStretch = 0;
  private ofEvaluation = 0;
  private ofRequest = 0;
  private units = 0;
  private turnOver = false;

  /** `clock` makes what tells milliseconds that only grow; it is made when it is first looked at. */
  constructor(limits: Partial<PaceLimits> = {}, clock: () => () => number = workClock) {
    this.limits = { ...usual, ...limits };
    this.makeClock = clock;
  }

  /** The first look is the beginning of the first turn. */
  private now(): number {
    if (this.clock) return this.clock();
    this.clock = this.makeClock();
    this.turnStart = this.clock();
    return this.turnStart;
  }

  /** An expression begins to run, or goes on after a pause. What it runs in turn takes its time. */
  begin(goesOn = false): void {
    if (this.running++ > 0) return;
    this.lastLook = undefined;
    this.ofStretch = 0;
    if (!goesOn) this.ofEvaluation = 0;
  }

  /** Looks at the clock on behalf of the expression that runs. Throws Cancelled when it has run for too long. */
  look(): void {
    const now = this.now();
    const gap = this.lastLook === undefined ? 0 : now - this.lastLook;
    this.lastLook = now;
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

  /** An expression that has begun has ended. `units`: its cost and its steps. */
  end(units: number): void {
    this.running--;
    this.count(units);
  }

  /** Counts work besides running, in units of cost and steps. */
  count(units: number): void {
    this.units += units;
    if (this.units < unitsBetweenLooks) return;
    this.units = 0;
    this.turnOver ||= this.now() - this.turnStart > this.limits.turn;
  }

  /** Whether others should get their turn before the next expression runs. */
  get isTurnOver(): boolean {
    return this.turnOver;
  }

  /** Lets the event loop serve others. */
  async nextTurn(): Promise<void> {
    await nextTurn();
    this.turnStart = this.now();
    this.turnOver = false;
  }
}
