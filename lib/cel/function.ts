/** Functions of expressions: what they are called, take and give. */
import type { Steps } from '../steps.js';
import type { CallCost } from './cost-model.js';
import type { Type } from './types.js';
import type { Value } from './values.js';

export interface Overload {
  /** The name of cel-go, which costs go by. */
  readonly id: string;
  readonly name: string;
  /** Called as `a.f(b)`; then the first parameter is a. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /**
   * Throws CelError. Absent for what the evaluator does itself. The work and the memory of it are in proportion to its cost and to the lengths of
   * the texts among its arguments.
   */
  readonly call?: (...args: Value[]) => Value;
  /** In place of `call` for all other functions: counts what it visits and makes before it does so. */
  readonly counted?: (steps: Steps, ...args: Value[]) => Value;
  /** Absent: a call costs 1. */
  readonly cost?: CallCost;
}

/** Variables that are types or constants of a library. */
export type Library = readonly Overload[];

const make =
  (member: boolean) =>
  (
    id: string,
    name: string,
    params: readonly Type[],
    result: Type,
    call?: (...args: never[]) => Value,
    cost?: CallCost,
  ): Overload => ({
    id,
    name,
    member,
    params,
    result,
    ...(call && { call: call as unknown as (...args: Value[]) => Value }),
    ...(cost && { cost }),
  });

/** `f(a, b)`. */
export const fn = make(false);

/** `a.f(b)`. */
export const method = make(true);

const makeCounted =
  (member: boolean) =>
  (
    id: string,
    name: string,
    params: readonly Type[],
    result: Type,
    counted: (steps: Steps, ...args: never[]) => Value,
    cost?: CallCost,
  ): Overload => ({
    ...make(member)(id, name, params, result, undefined, cost),
    counted: counted as unknown as (steps: Steps, ...args: Value[]) => Value,
  });

/** `f(a, b)`, counting its steps. */
export const countedFn = makeCounted(false);

/** `a.f(b)`, counting its steps. */
export const countedMethod = makeCounted(true);
