import type { Strategy } from '../interface.js';

/** What a kind that says nothing gets; `nameFaults` are those of a DNS-1123 subdomain. */
const usual: Strategy = {
  nameFaults: () => [],
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
