import { type NameCheck, asPrefix, checkDns1123Subdomain, checkLongName } from '../../apimachinery/meta/names.js';
import type { Strategy } from '../interface.js';

/** The name rule of a kind from the form of its names; a generateName may end with a dash. */
export function namesOf(check: NameCheck): Strategy['nameFaults'] {
  const checkPrefix = asPrefix(check);
  return (name, prefix) => (prefix ? checkPrefix : check)(name);
}

/** Of kinds whose names have declared rules: of a prefix nothing is said, only of the name that is made of it. */
// as apimachinery/pkg/api/validation ValidateObjectMetaAccessorWithOpts
export const longNames: Strategy['nameFaults'] = (name, prefix) => (prefix ? [] : checkLongName(name));

/** What a kind that says nothing gets; `nameFaults` are those of a DNS-1123 subdomain. */
const usual: Strategy = {
  nameFaults: namesOf(checkDns1123Subdomain),
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
 * A complete strategy from the rules that a kind has of its own. Later parts replace earlier ones, list by list: to add to the list of
 * a part, spread it (`prepareCreate: [...withStatus.prepareCreate, mine]`).
 */
export function strategy(...parts: readonly Partial<Strategy>[]): Strategy {
  return Object.assign({}, usual, ...parts) as Strategy;
}
