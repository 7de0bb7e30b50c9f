import type { ListMeta } from '../../../apimachinery/interface.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { continueExpired, listExpired, tooLargeResourceVersion } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';
import type { CacheFigures } from '../../../storage/cache/figures.js';
import type { Cache, CachePage } from '../../../storage/cache/interface.js';
import type { Item, Page, RangeOptions, Revision } from '../../../storage/interface.js';
import type { ListQuery } from '../../../client/interface.js';
import { type Parts, resourceOf } from '../context.js';
import { isConverted, renewAll, viewAll } from '../stored/converted.js';
import { encodeContinue } from './continue-token.js';
import { interpret } from '../errors.js';
import type { RequestScope, ListAnswer, Stored } from '../interface.js';
import { keyOf, prefixOf } from '../stored/keys.js';
import { type ListPlan, type ListState, checkList, planList } from './list-options.js';
import { type Selection, parseSelectors, selectionOf } from './selection.js';

/** Objects looked at for one page of a selection are taken in steps that double up to this many. */
const maxStep = 10_000;

/** Lists objects. */
export async function list(parts: Parts, call: RequestScope, query: ListQuery): Promise<ListAnswer> {
  // In the order in which upstream finds faults.
  const selectors = parseSelectors(query);
  checkList(query);
  const selection = selectionOf(call.definition, call.version, selectors);
  const plan = planList(query);
  const { cache } = parts.stores.of(call.definition);
  const place = placeOf(call, selection);
  try {
    const taken = await take(prepared(cache, call, selection), place, plan, selection);
    count(cache.figures, taken);
    const items = await renewAll(call, taken.items);
    return { metadata: metadataOf(call, place.prefix, selection, taken), items };
  } catch (error) {
    throw listError(error, call, query, plan);
  }
}

function count(figures: CacheFigures, { items, tested, fromStore }: Taken): void {
  if (!fromStore) figures.returned += items.length;
  else {
    figures.storeLists.evaluated += tested;
    figures.storeLists.returned += items.length;
  }
}

interface Place {
  readonly prefix: string;
  /** The only key that can be selected. */
  readonly key: string | undefined;
}

/** Where to look: fields that name the namespace or the object narrow it. */
export function placeOf(call: RequestScope, selection: Selection): Place {
  const { definition } = call;
  const named = selection.namespace !== undefined && checkDns1123Label(selection.namespace).length === 0;
  const namespace = call.namespace === '' && named ? (selection.namespace ?? '') : call.namespace;
  const prefix = prefixOf(definition, namespace);
  const single = selection.name && (!definition.namespaced || namespace !== '');
  return { prefix, key: single ? keyOf(definition, namespace, selection.name ?? '') : undefined };
}

interface Taken {
  readonly items: readonly Stored[];
  readonly revision: Revision;
  /** The last key that was looked at, when there are more behind it. */
  readonly last: string | undefined;
  readonly remaining: number;
  /** How many were looked at. */
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

type Range = Pick<Cache<Stored>, 'range'>;

/** Fields are selected in the version of the call: what is converted by somebody else is asked for before it is looked at. */
function prepared(cache: Cache<Stored>, call: RequestScope, { fields }: Selection): Range {
  if (!fields || !isConverted(call.definition)) return cache;
  return {
    async range(prefix, options) {
      const page = await cache.range(prefix, options);
      await viewAll(
        call,
        page.items.map(({ value }) => value),
      );
      return page;
    },
  };
}

async function take(cache: Range, place: Place, plan: ListPlan, selection: Selection): Promise<Taken> {
  const options = optionsOf(plan.state, place.prefix);
  if (place.key !== undefined) return takeOne(cache, place.key, options, selection);
  if (plan.limit === 0) {
    const { index } = selection;
    const page = await cache.range(place.prefix, index === undefined ? options : { ...options, index });
    return { ...whole(page), items: chosen(page, selection) };
  }
  const items: Stored[] = [];
  let step = selection.empty ? plan.limit : Math.min(Math.max(plan.limit, 100), maxStep);
  let page = await cache.range(place.prefix, { ...options, limit: step });
  const { revision, fromStore = false } = page;
  let tested = 0;
  for (;;) {
    for (const [i, { key, value }] of page.items.entries()) {
      tested++;
      if (selection.matches(value)) items.push(value);
      const remaining = page.items.length - 1 - i + page.remaining;
      if (items.length === plan.limit && remaining > 0)
        return { items, revision, last: key, remaining, tested, fromStore };
    }
    const last = page.items.at(-1);
    if (!last || page.remaining === 0) return { items, revision, last: undefined, remaining: 0, tested, fromStore };
    step = Math.min(step * 2, maxStep);
    page = await cache.range(place.prefix, { start: `${last.key}\u0000`, limit: step, at: revision });
  }
}

/** Of a page that is all there is. */
const whole = ({ items, revision, fromStore = false }: CachePage<Stored>): Omit<Taken, 'items'> => ({
  ...{ revision, last: undefined, remaining: 0 },
  ...{ tested: items.length, fromStore },
});

/** hot: no object is parsed or copied for a list without selectors. */
function chosen(page: Page<Stored>, selection: Selection): Stored[] {
  const items: Stored[] = [];
  for (const { value } of page.items) if (selection.matches(value)) items.push(value);
  return items;
}

async function takeOne(cache: Range, key: string, options: RangeOptions, selection: Selection): Promise<Taken> {
  const page = await cache.range(key, options);
  const found = page.items.filter((item: Item<Stored>) => item.key === key && selection.matches(item.value));
  return { ...whole(page), items: found.map(item => item.value) };
}

/**
 * Returns the metadata of a list: fields in the order in which the kind writes them; custom resources write `continue` even when there is
 * none.
 */
function metadataOf(call: RequestScope, prefix: string, selection: Selection, taken: Taken): ListMeta {
  const resourceVersion = String(taken.revision);
  const sorted = call.definition.wire.keys === 'sorted';
  if (taken.last === undefined) return sorted ? { continue: '', resourceVersion } : { resourceVersion };
  const token = encodeContinue(taken.revision, taken.last.slice(prefix.length));
  const remaining = selection.empty ? { remainingItemCount: taken.remaining } : {};
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
    // The rest can still be had, of a newer state.
    if (state.type === 'rest') return continueExpired(encodeContinue(-1, state.token.start.replace(/\u0000$/, '')));
    return listExpired();
  }
  if (error.code === 'future') {
    // As asked: a number could not hold all of it.
    const wanted = 'token' in state ? state.token.revision : resourceVersion || 0;
    return tooLargeResourceVersion(wanted, error.revision ?? 0);
  }
  return interpret(error, resourceOf(call), 'list');
}
