/** Functions of expressions: their names, parameters and results. */
import type { Steps } from '../steps.js';
import type { CallCost } from './cost-model.js';
import type { Type } from './types.js';
import type { Value } from './values.js';

export interface Overload {
  /** cel-go's id, by which costs are defined. */
  readonly id: string;
  readonly name: string;
  /** Called as `a.f(b)`; the first parameter is a. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /**
   * Evaluates the call. Throws CelError. Absent for functions that the evaluator implements. Its time and memory are proportional to its cost
   * and to the lengths of its string arguments.
   */
  readonly call?: (...args: Value[]) => Value;
  /** Replaces `call` for all other functions: counts steps before it visits or makes values. */
  readonly counted?: (steps: Steps, ...args: Value[]) => Value;
  /** Absent: a call costs 1. */
  readonly cost?: CallCost;
}

/** The functions of a library. */
export type Library = readonly Overload[];

/** A function of an expression; its parameters are the values of `params`. */
type Call = (...args: never[]) => Value;
/** Counts steps before it visits or makes values. */
type CountedCall = (steps: Steps, ...args: never[]) => Value;
/** Without `cost`, a call costs 1. */
interface CallAndCost<C> {
  readonly call: C;
  readonly cost?: CallCost | undefined;
}
/** The cost of a function that the evaluator implements. */
interface CostAlone {
  readonly call?: never;
  readonly cost: CallCost;
}

/** Declares functions. `body` is absent if the evaluator implements the function, and a call costs 1. */
const make =
  (member: boolean) =>
  (
    id: string,
    name: string,
    params: readonly Type[],
    result: Type,
    body?: Call | CallAndCost<Call> | CostAlone,
  ): Overload => {
    const { call, cost }: Partial<CallAndCost<Call>> = typeof body === 'function' ? { call: body } : (body ?? {});
    return {
      ...{ id, name, member, params, result },
      ...(call && { call: call as (...args: Value[]) => Value }),
      ...(cost && { cost }),
    };
  };

/** Declares `f(a, b)`. */
export const fn = make(false);

/** Declares `a.f(b)`. */
export const method = make(true);

const makeCounted =
  (member: boolean) =>
  (
    id: string,
    name: string,
    params: readonly Type[],
    result: Type,
    body: CountedCall | CallAndCost<CountedCall>,
  ): Overload => {
    const { call, cost }: CallAndCost<CountedCall> = typeof body === 'function' ? { call: body } : body;
    return {
      ...make(member)(id, name, params, result, cost && { cost }),
      counted: call as (steps: Steps, ...args: Value[]) => Value,
    };
  };

/** Declares `f(a, b)`, which counts its steps. */
export const countedFn = makeCounted(false);

/** Declares `a.f(b)`, which counts its steps. */
export const countedMethod = makeCounted(true);
