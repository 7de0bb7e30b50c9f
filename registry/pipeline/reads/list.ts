import type { ListMeta } from '../../../apimachinery/interface.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { continueExpired, listExpired, tooLargeResourceVersion } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';
import type { CacheCounters } from '../../../storage/cache/counters.js';
import type { Cache, CachePage } from '../../../storage/cache/interface.js';
import type { Page, RangeOptions, Revision } from '../../../storage/interface.js';
import type { ListQuery } from '../../../client/interface.js';
import type { PipelineDeps } from '../context.js';
import { convertAll, isConverted, loadViews } from '../stored/converted.js';
import { encodeContinue } from './continue-token.js';
import { interpretStorageError } from '../errors.js';
import type { RequestScope, ListAnswer, Stored } from '../interface.js';
import { storageKey, prefixOf } from '../stored/keys.js';
import { decodeAll } from '../stored/loaded.js';
import type { StoredVersion } from '../stored/stored-version.js';
import { type ListPlan, type ListState, checkListOptions, planList } from './list-options.js';
import { type ReadSelection, parseSelectors, selectionOf } from './selection.js';
import { selectInTurns, SelectionWalk } from './selection-walk.js';
import { groupResourceOf } from '../../group-resource.js';

/** The objects for one page of a selection are read in steps, whose size doubles up to this number. */
const maxStep = 10_000;

/** Lists objects. */
export async function list(deps: PipelineDeps, call: RequestScope, query: ListQuery): Promise<ListAnswer> {
  // The checks are in upstream's order.
  const selectors = parseSelectors(query);
  checkListOptions(query);
  const selection = selectionOf(call.definition, call.version, selectors);
  const plan = planList(query);
  const { cache } = deps.stores.of(call.definition);
  const keys = keyRangeOf(call, selection);
  try {
    const converts = selection.fields && isConverted(call.definition);
    const page = await readPage(converts ? convertingReader(cache, call) : cache, keys, plan, selection, converts);
    count(cache.counters, page);
    const decoding = decodeAll(page.items);
    if (decoding) await decoding;
    const converted = await convertAll(call, page.items);
    return { metadata: metadataOf(call, keys.prefix, selection, page), ...converted };
  } catch (error) {
    throw listError(error, call, query, plan);
  }
}

function count(counters: CacheCounters, { items, tested, fromStore }: ListPage): void {
  if (!fromStore) counters.returned += items.length;
  else {
    counters.storeLists.evaluated += tested;
    counters.storeLists.returned += items.length;
  }
}

interface KeyRange {
  readonly prefix: string;
  /** The only key that can be selected. */
  readonly key: string | undefined;
}

/** Returns the prefix or the key to read. Field selectors by namespace or name narrow it. */
export function keyRangeOf(call: RequestScope, selection: ReadSelection): KeyRange {
  const { definition } = call;
  const named = selection.namespace !== undefined && checkDns1123Label(selection.namespace).length === 0;
  const namespace = call.namespace === '' && named ? (selection.namespace ?? '') : call.namespace;
  const prefix = prefixOf(definition, namespace);
  const single = selection.name && (!definition.namespaced || namespace !== '');
  return { prefix, key: single ? storageKey(definition, namespace, selection.name ?? '') : undefined };
}

interface ListPage {
  readonly items: readonly Stored[];
  readonly revision: Revision;
  /** The last key that was read, if there are more objects after it. */
  readonly last: string | undefined;
  readonly remaining: number;
  /** Number of objects that were read. */
  readonly tested: number;
  readonly fromStore: boolean;
}

const optionsOf = (state: ListState, prefix: string): RangeOptions => {
  switch (state.type) {
    case 'newest':
      return {};
    case 'any':
      return { notBefore: 0 as Revision };
    case 'notBefore':
      return { notBefore: state.revision };
    case 'exact':
      return { at: state.revision };
    case 'rest': {
      const start = prefix + state.token.start;
      return state.token.revision < 0 ? { start } : { start, at: state.token.revision as Revision };
    }
  }
};

type Range = Pick<Cache<StoredVersion>, 'range'>;

/** Returns a reader that converts objects by webhook before they are selected, since field selectors apply to the requested version. */
function convertingReader(cache: Pick<Cache<StoredVersion>, 'range' | 'snapshot'>, call: RequestScope): Range {
  return {
    async range(prefix, options) {
      const page = await cache.range(prefix, options);
      const values = page.items.map(({ value }) => value);
      const decoding = decodeAll(values);
      if (decoding) await decoding;
      await loadViews(call, values);
      return page;
    },
  };
}

/** `converts`: the objects were converted for the selection. */
async function readPage(
  cache: Range,
  keys: KeyRange,
  plan: ListPlan,
  selection: ReadSelection,
  converts: boolean,
): Promise<ListPage> {
  const options = optionsOf(plan.state, keys.prefix);
  if (keys.key !== undefined) return readOne(cache, keys.key, options, selection, converts);
  if (plan.limit === 0) {
    const { index } = selection;
    const page = await cache.range(keys.prefix, index === undefined ? options : { ...options, index });
    return { ...wholeList(page), items: await selected(page.items, selection, converts) };
  }
  const items: Stored[] = [];
  let step = selection.empty ? plan.limit : Math.min(Math.max(plan.limit, 100), maxStep);
  let page = await cache.range(keys.prefix, { ...options, limit: step });
  const { revision, fromStore = false } = page;
  let tested = 0;
  const walk = converts ? selection : new SelectionWalk(selection);
  for (;;) {
    for (const [i, { key, value }] of page.items.entries()) {
      tested++;
      const matches = walk.matches(value);
      if (matches instanceof Promise ? await matches : matches) items.push(value);
      const remaining = page.items.length - 1 - i + page.remaining;
      if (items.length === plan.limit && remaining > 0)
        return { items, revision, last: key, remaining, tested, fromStore };
    }
    const last = page.items.at(-1);
    if (!last || page.remaining === 0) return { items, revision, last: undefined, remaining: 0, tested, fromStore };
    step = Math.min(step * 2, maxStep);
    page = await cache.range(keys.prefix, { start: `${last.key}\u0000`, limit: step, at: revision });
  }
}

/** Returns the page of a list without a next page. */
const wholeList = ({ items, revision, fromStore = false }: CachePage<StoredVersion>): Omit<ListPage, 'items'> => ({
  ...{ revision, last: undefined, remaining: 0 },
  ...{ tested: items.length, fromStore },
});

/**
 * hot: Returns the selected objects. A list without selectors parses and copies no object. Converted ones are tested in one turn: they may not stay in
 * memory.
 */
async function selected(
  items: Page<StoredVersion>['items'],
  selection: ReadSelection,
  converts: boolean,
): Promise<readonly Stored[]> {
  const values = items.map(({ value }) => value);
  return converts ? values.filter(value => selection.matches(value)) : selectInTurns(values, selection, value => value);
}

async function readOne(
  cache: Range,
  key: string,
  options: RangeOptions,
  selection: ReadSelection,
  converts: boolean,
): Promise<ListPage> {
  const page = await cache.range(key, options);
  const found = page.items.filter(item => item.key === key);
  return { ...wholeList(page), items: await selected(found, selection, converts) };
}

/**
 * Returns the metadata of a list, with its fields in the order of the kind. Lists of custom resources have `continue` even if it is empty.
 */
function metadataOf(call: RequestScope, prefix: string, selection: ReadSelection, page: ListPage): ListMeta {
  const resourceVersion = String(page.revision);
  const sorted = call.definition.wire.keys === 'sorted';
  if (page.last === undefined) return sorted ? { continue: '', resourceVersion } : { resourceVersion };
  const token = encodeContinue(page.revision, page.last.slice(prefix.length));
  const remaining = selection.empty ? { remainingItemCount: page.remaining } : {};
  return sorted
    ? { continue: token, ...remaining, resourceVersion }
    : { resourceVersion, continue: token, ...remaining };
}

function listError(
  error: unknown,
  call: RequestScope,
  { resourceVersion = '' }: ListQuery,
  { state }: ListPlan,
): unknown {
  if (!(error instanceof StorageError)) return error;
  if (error.code === 'compacted') {
    // The remaining pages can still be read at the newest revision.
    if (state.type === 'rest') return continueExpired(encodeContinue(-1, state.token.start.replace(/\u0000$/, '')));
    return listExpired();
  }
  if (error.code === 'future') {
    // The text of the request, since a number may not hold all its digits.
    const requested = 'token' in state ? state.token.revision : resourceVersion || 0;
    return tooLargeResourceVersion(requested, error.revision ?? 0);
  }
  return interpretStorageError(error, groupResourceOf(call), 'list');
}
