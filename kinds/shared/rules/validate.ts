import type { LongValidate, StrategyContext, Validate } from '../../../registry/interface.js';
import { type InSteps, inTimeSlices } from '../../../lib/time-slice.js';
import { type Field, faultsInSteps, faultsOf } from './field.js';

/** Makes a rule of a strategy from a rule over the fields of a native type. */
export function validate<T>(rule: (object: Field<T>, old: T | undefined, context: StrategyContext) => void): Validate {
  return (object, old, context) => faultsOf<T>(object, root => rule(root, old as T | undefined, context));
}

/** Makes a `validateLong` of a strategy from a rule in steps. */
export const validateInSteps =
  <T>(rule: (object: Field<T>, old: T | undefined) => InSteps<void>): LongValidate =>
  (_found, object, old) =>
    inTimeSlices(faultsInSteps<T>(object, root => rule(root, old as T | undefined)));

/** Makes a rule for updates, which always have an old object. */
export function validateChange<T>(rule: (object: Field<T>, old: T, context: StrategyContext) => void): Validate {
  return validate<T>((object, old, context) => {
    if (old !== undefined) rule(object, old, context);
  });
}
