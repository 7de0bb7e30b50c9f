/** Finds the objects of an index that match a query. */
import type { InSteps } from '../../lib/time-slice.js';
import type { CollectionIndex } from './collection-index.js';
import { termOf } from './entry.js';
import { bitsFor, intersectBits, subtractBits } from './postings.js';
import type { Pattern, SearchQuery, QueryTerm } from './search-query.js';

/** The names by which a query can select all objects of a collection. */
interface CollectionNames {
  readonly cluster: string;
  /** The kind and the plural. */
  readonly kinds: readonly string[];
}

const fits = (value: string, { text, isPrefix }: Pattern): boolean => {
  const lower = value.toLowerCase();
  return isPrefix ? lower.startsWith(text) : lower === text;
};

/** Reports whether the terms `kind` and `cluster` of the query select the collection. */
export const selectsCollection = (query: SearchQuery, { cluster, kinds }: CollectionNames): boolean =>
  query.every(({ field, isNegated, patterns }) => {
    if (field !== 'kind' && field !== 'cluster') return true;
    const values = field === 'kind' ? kinds : [cluster];
    return values.some(value => patterns.some(pattern => fits(value, pattern))) !== isNegated;
  });

type IndexTerm = QueryTerm & { readonly field: Exclude<QueryTerm['field'], 'kind' | 'cluster'> };

const isIndexTerm = (term: QueryTerm): term is IndexTerm => term.field !== 'kind' && term.field !== 'cluster';

function* bitsOfPattern(
  index: CollectionIndex,
  { field }: IndexTerm,
  pattern: Pattern,
  bits: Uint32Array,
): InSteps<void> {
  const term = termOf(field, pattern.text);
  if (pattern.isPrefix) yield* index.markPrefix(term, bits);
  else index.mark(term, bits);
}

/** Returns the bits of the objects that match a term, regardless of its negation. */
function* bitsOfTerm(index: CollectionIndex, term: IndexTerm, count: number): InSteps<Uint32Array> {
  let found: Uint32Array | undefined;
  for (const pattern of term.patterns) {
    if (term.field !== 'word') {
      found ??= bitsFor(count);
      yield* bitsOfPattern(index, term, pattern, found);
      continue;
    }
    const bits = bitsFor(count);
    yield* bitsOfPattern(index, term, pattern, bits);
    if (found) intersectBits(found, bits);
    else found = bits;
    yield;
  }
  // Text without any word selects nothing away.
  return found ?? bitsFor(count).fill(term.isNegated ? 0 : ~0);
}

/** Returns the bits of the objects that match the query, except its terms `kind` and `cluster`. Bits of removed objects may be set. */
export function* matchingBits(index: CollectionIndex, query: SearchQuery): InSteps<Uint32Array> {
  const count = index.objects.limit;
  const result = bitsFor(count).fill(~0);
  for (const term of query) {
    if (!isIndexTerm(term)) continue;
    const bits = yield* bitsOfTerm(index, term, count);
    if (term.isNegated) subtractBits(result, bits);
    else intersectBits(result, bits);
    yield;
  }
  return result;
}
