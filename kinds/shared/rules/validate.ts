import type { StrategyContext, Validate } from '../../../registry/interface.js';
import { type Field, faultsOf } from './field.js';

/** Makes a rule of a strategy from a rule over the fields of a native type. */
export function validate<T>(rule: (object: Field<T>, old: T | undefined, context: StrategyContext) => void): Validate {
  return (object, old, context) => faultsOf<T>(object, root => rule(root, old as T | undefined, context));
}

/** Makes a rule for updates, which always have an old object. */
export function validateChange<T>(rule: (object: Field<T>, old: T, context: StrategyContext) => void): Validate {
  return validate<T>((object, old, context) => {
    if (old !== undefined) rule(object, old, context);
  });
}
