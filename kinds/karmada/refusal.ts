import { faultsText } from '../../apimachinery/errors/status.js';
import { type Field, faultsOf } from '../shared/rules/field.js';

/** Returns the text of what a rule finds wrong with the whole object; undefined if nothing is wrong. */
export function ruleRefusal<T>(object: unknown, rule: (root: Field<T>) => void): string | undefined {
  const faults = faultsOf(object, rule);
  return faults.length > 0 ? faultsText(faults) : undefined;
}
