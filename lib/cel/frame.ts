/** What a running expression has at hand, and how its parts fail. as cel-go interpreter/runtimecost.go */
import type { Steps } from '../steps.js';
import { Cancelled } from './cancelled.js';
import { Pace } from './pace.js';
import type { Progress } from './progress.js';
import { CelError, Optional, type Value } from './values.js';

/**
 * What one expression may visit and make beyond what its cost says: a step is some ten nanoseconds, or some sixteen bytes. A cost does not bound
 * either, since upstream counts the size of a long text as 1, too.
 */
export const maxSteps = 4_000_000;

/** The clock is looked at after so much cost, and after so many steps. */
const costBetweenLooks = 4000;
const stepsBetweenLooks = 50_000;

/** What a program is run with. */
export interface Allowance {
  /** What it may cost. */
  readonly limit: number;
  readonly steps?: number;
  readonly pace?: Pace | undefined;
  /** Where it may make pauses: then the outcome may be that it is to be run again with the same progress. Needs `pace`. */
  readonly progress?: Progress | undefined;
}

/** One run of an expression. */
export class Frame implements Steps {
  readonly variables: (name: string) => Value | undefined;
  readonly locals: Local[] = [];
  cost = 0;
  steps = 0;
  /** How many comprehensions lie in one another here. */
  depth = 0;
  readonly progress: Progress | undefined;
  private readonly limit: number;
  private readonly stepLimit: number;
  private pace: Pace | undefined;
  private costStop: number;
  private stepStop: number;

  constructor(variables: (name: string) => Value | undefined, { limit, steps = maxSteps, pace, progress }: Allowance) {
    this.progress = progress;
    this.variables = variables;
    this.limit = limit;
    this.stepLimit = steps;
    this.pace = pace;
    this.costStop = Math.min(limit, costBetweenLooks);
    this.stepStop = Math.min(steps, stepsBetweenLooks);
  }

  /** Counts a cost. Throws Cancelled where it is too much. hot: */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.costStop) this.passCost();
  }

  take(count: number): void {
    this.steps += count;
    if (this.steps > this.stepStop) this.passSteps();
  }

  /** Whether others may get their turn. */
  get isPauseDue(): boolean {
    return this.pace?.isTurnOver ?? false;
  }

  /** Goes on from what had been spent before. */
  restore(cost: number, steps: number): void {
    [this.cost, this.steps] = [cost, steps];
    this.costStop = Math.min(this.limit, cost + costBetweenLooks);
    this.stepStop = Math.min(this.stepLimit, steps + stepsBetweenLooks);
  }

  private passCost(): void {
    if (this.cost > this.limit) throw new Cancelled();
    this.look();
    this.costStop = Math.min(this.limit, this.cost + costBetweenLooks);
  }

  private passSteps(): void {
    if (this.steps > this.stepLimit) throw new Cancelled('the expression visits or makes more values than it may');
    this.look();
    this.stepStop = Math.min(this.stepLimit, this.steps + stepsBetweenLooks);
  }

  private look(): void {
    (this.pace ??= new Pace({ stretch: Infinity })).look();
  }
}

export type Run = (frame: Frame) => Value;

/** What a variable of a comprehension holds: what was gathered may be an error, what was bound may be still to be found. */
export type Local = Value | CelError | Later | undefined;

/** A value that is found when it is asked for. */
export class Later {
  readonly run: Run;
  constructor(run: Run) {
    this.run = run;
  }
}

const unhurried = new Pace({}, () => () => 0);

/** Without bounds: for constants, whose number the length of an expression bounds. */
export const freeFrame = (): Frame => new Frame(() => undefined, { limit: Infinity, steps: Infinity, pace: unhurried });

/** Texts of this length or longer take steps when they are visited. */
const longText = 128;

/** Counts the visit of a value that may be a long text. hot: */
export function visit(frame: Frame, value: Value): void {
  if (typeof value === 'string') {
    if (value.length >= longText) frame.take(value.length >> 3);
  } else if (typeof value === 'object' && value instanceof Uint8Array) frame.take(value.length >> 3);
}

/** A value, or the error instead of it. */
export function attempt(frame: Frame, run: Run): Value | CelError {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** The values of two arguments: both are found before the first error is. */
export function both(frame: Frame, left: Run, right: Run): readonly [Value, Value] {
  const [x, y] = [attempt(frame, left), attempt(frame, right)];
  if (!(x instanceof CelError) && !(y instanceof CelError)) return [x, y];
  frame.spend(1);
  throw x instanceof CelError ? x : (y as CelError);
}

/** The values of arguments: of two, both are found before the first error is. */
export function allOf(frame: Frame, args: readonly Run[]): readonly Value[] {
  const [a, b] = args;
  if (a && b && args.length === 2) return both(frame, a, b);
  if (!a || args.length > 2) return args.map(arg => arg(frame));
  const value = attempt(frame, a);
  if (!(value instanceof CelError)) return [value];
  frame.spend(1);
  throw value;
}

export const isTrue = (value: Value): boolean => {
  if (typeof value === 'boolean') return value;
  throw new CelError('no such overload');
};

/** `&&` and `||`: the deciding value wins over errors. */
export function logical(left: Run, right: Run, deciding: boolean): Run {
  return frame => {
    const first = attempt(frame, left);
    const failed = typeof first === 'boolean' ? undefined : first instanceof CelError ? first : noBool();
    if (first === deciding) return deciding;
    if (!failed) return isTrue(right(frame));
    if (attempt(frame, right) === deciding) return deciding;
    throw failed;
  };
}

const noBool = (): CelError => new CelError('no such overload');

/** `opt.or(other)`, `opt.orValue(value)`: the other is looked at when it is needed. */
export function otherwise(run: Run, other: Run, optional: boolean): Run {
  return frame => {
    const value = run(frame);
    if (!(value instanceof Optional)) throw new CelError('no such overload');
    if (value.value !== undefined) return optional ? value : value.value;
    return other(frame);
  };
}
