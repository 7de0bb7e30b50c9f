/** Reads the settings of karmada-search, from its flags. */
import type { SearchSettings } from '../../../aggregation/search/search.js';
import type { FlagTable, FlagValues } from '../flags.js';

/** Flags of karmada-search, with its names and defaults. */
export const searchFlags = {
  'disable-search': {
    type: 'boolean',
    help: 'Do not serve search/cache, and send no objects to the backend stores of ResourceRegistries',
  },
  'disable-proxy': { type: 'boolean', help: 'Do not serve all members as one server under proxying' },
} as const satisfies FlagTable;

/** Returns which parts of search run. Backends of ResourceRegistries have no flag. */
export const parseSearchSettings = (values: FlagValues<typeof searchFlags>): SearchSettings => ({
  search: values['disable-search'] !== true,
  proxy: values['disable-proxy'] !== true,
  backends: true,
});
