import { type NameCheck, asPrefix, checkDns1123Subdomain, checkLongName } from '../../apimachinery/meta/names.js';
import type { Strategy } from '../interface.js';

/** Returns the name rule of a kind from a check of names; a generateName may end with a dash. */
export function nameRuleOf(check: NameCheck): Strategy['nameFaults'] {
  const checkPrefix = asPrefix(check);
  return (name, prefix) => (prefix ? checkPrefix : check)(name);
}

/** Returns the faults of a name of a kind with declarative validation, which checks the generated name but not generateName. */
// as apimachinery/pkg/api/validation ValidateObjectMetaAccessorWithOpts
export const longNames: Strategy['nameFaults'] = (name, prefix) => (prefix ? [] : checkLongName(name));

/** The default strategy. Names are DNS-1123 subdomains. */
const defaultStrategy: Strategy = {
  nameFaults: nameRuleOf(checkDns1123Subdomain),
  prepareCreate: [],
  prepareUpdate: [],
  validateCreate: [],
  validateUpdate: [],
  canonicalize: [],
  warnings: [],
  createOnUpdate: false,
  unconditionalUpdate: true,
  defaultPropagation: 'Background',
  returnsDeleted: false,
  resetFields: [],
};

/**
 * Returns a complete strategy from the rules of a kind. Later parts replace earlier ones, list by list: to extend the list of a part,
 * spread it (`prepareCreate: [...withStatus.prepareCreate, mine]`).
 */
export function strategy(...parts: readonly Partial<Strategy>[]): Strategy {
  return Object.assign({}, defaultStrategy, ...parts) as Strategy;
}
