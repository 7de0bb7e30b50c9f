/** Sizes and costs as ranges, and the costs of calls. as cel-go checker/cost.go and apiserver/pkg/cel/library/cost.go */
import type { Steps } from '../steps.js';
import type { Value } from './values.js';

/** Costs saturate at this value. */
export const unlimited = 2 ** 64;

export interface Range {
  readonly min: number;
  readonly max: number;
}

const cap = (n: number): number => Math.min(n, unlimited);

/** Returns the range of a cost that is known before the evaluation. */
export const fixedRange = (n: number): Range => ({ min: n, max: n });
export const unknownSize: Range = { min: 0, max: unlimited };
/** Returns the range of a sum, which ends at the largest cost that is counted. */
export const plus = (a: Range, b: Range): Range => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
/** Multiplies; zero times unlimited is zero. */
const product = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : cap(a * b));
/** Returns the range of a product, which ends at the largest cost that is counted. */
export const times = (a: Range, b: Range): Range => ({ min: product(a.min, b.min), max: product(a.max, b.max) });
/** Returns a range multiplied by a cost per unit, rounded up, as cel-go does with fractions of a unit. */
export const factor = (a: Range, by: number): Range => ({
  min: cap(Math.ceil(a.min * by)),
  max: cap(Math.ceil(a.max * by)),
});
/** Returns the range of a cost that is one or the other, as those of both branches of a conditional. */
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** The cost of reading a string, per unit of its size. */
export const perCharacter = 0.1;
export const perRegexCharacter = 0.25;
export const listCost = 10;
export const mapCost = 30;
export const objectCost = 40;

/** The size of an argument in an estimate. */
export interface Sized {
  readonly size: Range;
  /** The size of a list's items, and whether they are strings or bytes. */
  readonly itemSize?: Range;
  readonly ofTexts?: boolean;
  /** The value of a constant. */
  readonly constant?: unknown;
}

export interface Estimate {
  readonly cost: Range;
  readonly result?: Range;
}

/** The cost of a call from its arguments (the receiver first): estimated, and actual. */
export interface CallCost {
  /** The actual cost depends on the result. Otherwise it is charged before the call, so that too expensive work never starts. */
  readonly late?: boolean;
  readonly estimate: (args: readonly Sized[]) => Estimate;
  readonly actual: (
    args: readonly Value[],
    result: Value,
    size: (value: Value) => number,
    /** Counts the values visited to compute the cost. */
    steps: Steps,
  ) => number;
}

/** Returns the cost of a walk over an argument; with `keepsSize` the result has its size. */
export function traversal(by = perCharacter, keepsSize = false, argument = 0): CallCost {
  return {
    estimate: args => {
      const size = args[argument]?.size ?? unknownSize;
      return { cost: factor(size, by), ...(keepsSize && { result: size }) };
    },
    actual: (args, _result, size) => Math.ceil(size(args[argument] as Value) * by),
  };
}

/** Returns the cost of a call that does not depend on its arguments. */
export const constant = (cost: number): CallCost => ({
  estimate: () => ({ cost: fixedRange(cost) }),
  actual: () => cost,
});

/** The cost of matching a regular expression. */
export const regexCost: CallCost = {
  estimate: args => {
    const text = args[0]?.size ?? unknownSize;
    const cost = times(
      factor(plus(text, fixedRange(1)), perCharacter),
      factor(args[1]?.size ?? unknownSize, perRegexCharacter),
    );
    return { cost, result: { min: 0, max: text.max } };
  },
  actual: (args, _result, size) =>
    Math.ceil((1 + size(args[0] as Value)) * perCharacter) * Math.ceil(size(args[1] as Value) * perRegexCharacter),
};

/** The cost of comparing two strings; the shorter one counts. */
export const comparisonCost: CallCost = {
  estimate: args => {
    const [a = unknownSize, b = unknownSize] = args.map(arg => arg.size);
    const max = Math.min(a.max, b.max);
    return { cost: factor({ min: max > 0 ? 1 : 0, max }, perCharacter) };
  },
  actual: (args, _result, size) => Math.ceil(Math.min(size(args[0] as Value), size(args[1] as Value)) * perCharacter),
};

/** The cost of joining two strings. */
export const joinCost: CallCost = {
  estimate: args => {
    const result = plus(args[0]?.size ?? unknownSize, args[1]?.size ?? unknownSize);
    return { cost: factor(result, perCharacter), result };
  },
  actual: (args, _result, size) => Math.ceil((size(args[0] as Value) + size(args[1] as Value)) * perCharacter),
};

/** The cost of searching a string in another. */
export const containsCost: CallCost = {
  estimate: args => {
    const [a = unknownSize, b = unknownSize] = args.map(arg => arg.size);
    return { cost: times(factor(a, perCharacter), factor(b, perCharacter)) };
  },
  actual: (args, _result, size) =>
    Math.ceil(size(args[0] as Value) * perCharacter) * Math.ceil(size(args[1] as Value) * perCharacter),
};
