/** The state of a running expression, and the evaluation of its operands. as cel-go interpreter/runtimecost.go */
import type { Steps } from '../../steps.js';
import { Cancelled } from '../cancelled.js';
import { Pace } from './pace.js';
import type { Progress } from './progress.js';
import { CelError, type Value } from '../values.js';

/**
 * The largest number of steps of one expression, besides its cost: a step is about ten nanoseconds, or about sixteen bytes. A cost bounds
 * neither, since upstream counts the size of a long string as 1, too.
 */
const maxExpressionSteps = 4_000_000;

/** The clock is read after so much cost, and after so many steps. */
const costBetweenChecks = 4000;
const stepsBetweenChecks = 50_000;

/** The limits of one run. */
export interface Allowance {
  /** The largest cost. */
  readonly limit: number;
  readonly steps?: number;
  readonly pace?: Pace | undefined;
  /** Set when the run may pause; the outcome may then say that it has to be run again with the same progress. Needs `pace`. */
  readonly progress?: Progress | undefined;
}

/** One run of an expression. */
export class ExecutionFrame implements Steps {
  readonly variables: (name: string) => Value | undefined;
  readonly locals: Local[] = [];
  cost = 0;
  steps = 0;
  /** Nesting depth of comprehensions at this point. */
  depth = 0;
  readonly progress: Progress | undefined;
  private readonly limit: number;
  private readonly stepLimit: number;
  private pace: Pace | undefined;
  private costStop: number;
  private stepStop: number;

  constructor(
    variables: (name: string) => Value | undefined,
    { limit, steps = maxExpressionSteps, pace, progress }: Allowance,
  ) {
    this.progress = progress;
    this.variables = variables;
    this.limit = limit;
    this.stepLimit = steps;
    this.pace = pace;
    this.costStop = Math.min(limit, costBetweenChecks);
    this.stepStop = Math.min(steps, stepsBetweenChecks);
  }

  /** Counts a cost. Throws Cancelled when it exceeds the limit. hot: nearly every node of an expression. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.costStop) this.passCost();
  }

  take(count: number): void {
    this.steps += count;
    if (this.steps > this.stepStop) this.passSteps();
  }

  /** Whether the time slice is used up. */
  get isPauseDue(): boolean {
    return this.pace?.isTurnOver ?? false;
  }

  /** Continues with the cost and steps of an earlier run. */
  restore(cost: number, steps: number): void {
    [this.cost, this.steps] = [cost, steps];
    this.costStop = Math.min(this.limit, cost + costBetweenChecks);
    this.stepStop = Math.min(this.stepLimit, steps + stepsBetweenChecks);
  }

  private passCost(): void {
    if (this.cost > this.limit) throw new Cancelled();
    this.checkTime();
    this.costStop = Math.min(this.limit, this.cost + costBetweenChecks);
  }

  private passSteps(): void {
    if (this.steps > this.stepLimit) throw new Cancelled('the expression visits or makes more values than it may');
    this.checkTime();
    this.stepStop = Math.min(this.stepLimit, this.steps + stepsBetweenChecks);
  }

  private checkTime(): void {
    (this.pace ??= new Pace({ stretch: Infinity })).checkTime();
  }
}

export type Run = (frame: ExecutionFrame) => Value;

/** The value of a comprehension's variable: an accumulated value may be an error, and a bound one may not be evaluated yet. */
type Local = Value | CelError | LazyValue | undefined;

/** A value that is evaluated on first use. */
export class LazyValue {
  readonly run: Run;
  constructor(run: Run) {
    this.run = run;
  }
}

const unlimitedPace = new Pace({}, () => () => 0);

/** Returns a frame without limits, for constants, whose number is limited by the length of the expression. */
export const freeFrame = (): ExecutionFrame =>
  new ExecutionFrame(() => undefined, { limit: Infinity, steps: Infinity, pace: unlimitedPace });

/** Strings of this length or longer count steps when they are visited. */
const longText = 128;

/** Counts the visit of a value that may be a long string. hot: every operand of a call or a comparison. */
export function visit(frame: ExecutionFrame, value: Value): void {
  if (typeof value === 'string') {
    if (value.length >= longText) frame.take(value.length >> 3);
  } else if (typeof value === 'object' && value instanceof Uint8Array) frame.take(value.length >> 3);
}

/** Returns a value, or its error. */
export function valueOrError(frame: ExecutionFrame, run: Run): Value | CelError {
  try {
    return run(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** Returns the values of two arguments; both are evaluated before the first error is thrown. */
export function both(frame: ExecutionFrame, left: Run, right: Run): readonly [Value, Value] {
  const [x, y] = [valueOrError(frame, left), valueOrError(frame, right)];
  if (!(x instanceof CelError) && !(y instanceof CelError)) return [x, y];
  frame.spend(1);
  throw x instanceof CelError ? x : (y as CelError);
}

/** Returns the values of arguments; when there are two, both are evaluated before the first error is thrown. */
export function allOf(frame: ExecutionFrame, args: readonly Run[]): readonly Value[] {
  const [a, b] = args;
  if (a && b && args.length === 2) return both(frame, a, b);
  if (!a || args.length > 2) return args.map(arg => arg(frame));
  const value = valueOrError(frame, a);
  if (!(value instanceof CelError)) return [value];
  frame.spend(1);
  throw value;
}

/** Returns a bool. Throws CelError for any other value, which only an operand of type dyn can have. */
export const isTrue = (value: Value): boolean => {
  if (typeof value === 'boolean') return value;
  throw new CelError('no such overload');
};
