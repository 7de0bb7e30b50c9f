/** The operators that evaluate their operands in a way of their own. as cel-go interpreter/interpretable.go */
import { equal } from '../compare.js';
import type { CallCost } from '../cost-model.js';
import { both, isTrue, type Run, valueOrError, visit } from './frame.js';
import { sizeOf } from '../measure.js';
import { Opaque } from '../opaque.js';
import { findMember } from '../qualify.js';
import { CelError, CelMap, CelObject, List, Optional, Uint, type Value } from '../values.js';

/** Evaluates `&&` and `||`: the deciding value takes precedence over errors. */
export function logical(left: Run, right: Run, deciding: boolean): Run {
  return frame => {
    const first = valueOrError(frame, left);
    const failed = typeof first === 'boolean' ? undefined : first instanceof CelError ? first : noBool();
    if (first === deciding) return deciding;
    if (!failed) return isTrue(right(frame));
    if (valueOrError(frame, right) === deciding) return deciding;
    throw failed;
  };
}

const noBool = (): CelError => new CelError('no such overload');

/** Evaluates `opt.or(other)` and `opt.orValue(value)`; the other value is evaluated only when it is needed. */
export function otherwise(run: Run, other: Run, optional: boolean): Run {
  return frame => {
    const value = run(frame);
    if (!(value instanceof Optional)) throw new CelError('no such overload');
    if (value.value !== undefined) return optional ? value : value.value;
    return other(frame);
  };
}

/** Evaluates `==`, or `!=` if `isEqual` is false. `cost` is that of the overload; undefined: 1. */
export function equality(left: Run, right: Run, isEqual: boolean, cost: CallCost['actual'] | undefined): Run {
  return frame => {
    const [x, y] = both(frame, left, right);
    visit(frame, x);
    visit(frame, y);
    frame.spend(x instanceof Opaque ? 1 : (cost?.([x, y], false, sizeOf, frame) ?? 1));
    return equal(x, y, frame) === isEqual;
  };
}

/** Returns whether a value can be found in a set of JavaScript's by its equality. */
export const isKeyLike = (value: Value): boolean =>
  value instanceof Uint || (value !== null && typeof value !== 'object');

/** Evaluates `x in [...]` for constant items, which cost nothing. */
export function constantMembership(left: Run, items: readonly Value[]): Run {
  const texts = items.every(item => typeof item === 'string') ? new Set<Value>(items) : undefined;
  return frame => {
    const x = left(frame);
    visit(frame, x);
    if (texts) return texts.has(x);
    frame.take(items.length);
    return items.some(item => equal(item, x, frame));
  };
}

/** Evaluates `x in y`. A list costs its length if the check has found that `y` is one (`inList`). */
export function membership(left: Run, right: Run, inList: boolean): Run {
  return frame => {
    const [x, among] = both(frame, left, right);
    if (among instanceof List) {
      frame.spend(inList ? among.size : 1);
      for (let i = 0; i < among.size; i++) {
        frame.take(1);
        if (equal(among.at(i), x, frame)) return true;
      }
      return false;
    }
    visit(frame, x);
    frame.spend(1);
    if (among instanceof CelMap || among instanceof CelObject) return findMember(among, x) !== undefined;
    throw new CelError('no such overload');
  };
}

/** Evaluates `@not_strictly_false`: whether the comprehension goes on, which it does after an error. */
export function notStrictlyFalse(run: Run): Run {
  return frame => {
    let result = true;
    try {
      result = run(frame) !== false;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
    }
    frame.spend(1);
    return result;
  };
}
