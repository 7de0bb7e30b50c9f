/** What a running expression has at hand, and how its parts fail. as cel-go interpreter/runtimecost.go */
import { CelError, Optional, type Value } from './values.js';

/** The limit of costs was reached: nothing catches this. */
export class CostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One run of an expression. */
export interface Frame {
  readonly variables: (name: string) => Value | undefined;
  readonly locals: Local[];
  readonly limit: number;
  cost: number;
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

export const freeFrame = (): Frame => ({ variables: () => undefined, locals: [], limit: Infinity, cost: 0 });

export function spend(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostExceeded();
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
  spend(frame, 1);
  throw x instanceof CelError ? x : (y as CelError);
}

/** The values of arguments: of two, both are found before the first error is. */
export function allOf(frame: Frame, args: readonly Run[]): readonly Value[] {
  const [a, b] = args;
  if (a && b && args.length === 2) return both(frame, a, b);
  if (!a || args.length > 2) return args.map(arg => arg(frame));
  const value = attempt(frame, a);
  if (!(value instanceof CelError)) return [value];
  spend(frame, 1);
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
