import { faultsText } from '../../apimachinery/errors/status.js';
import { type Field, faultsOf } from '../shared/rules/field.js';

/** The text of what a rule over the whole object finds wrong; undefined when that is nothing. */
export function refusalOf<T>(object: unknown, rule: (root: Field<T>) => void): string | undefined {
  const faults = faultsOf(object, rule);
  return faults.length > 0 ? faultsText(faults) : undefined;
}
