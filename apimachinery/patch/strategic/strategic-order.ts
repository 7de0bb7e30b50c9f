/** Orders the elements of a merged list: first by the patch, then by the list of the server. */
import type { JsonObject } from '../../interface.js';
import { sortInSteps } from '../../../lib/collections/sort-in-steps.js';
import { type InSteps, Strides } from '../../../lib/time-slice.js';
import { badRequest, plainError } from '../../errors/status.js';
import { goType, goValue } from '../go-value.js';
import { ownMember, has, isObject } from '../json.js';

/** Returns 500 for a value that does not have the type, which is Go's. */
export const badArgument = (type: string, found: unknown): Error =>
  plainError(`expected a ${type}, but received a ${found === null ? '%!s(<nil>)' : goType(found)}`);

/** Returns 500 for a list item without its merge key. */
export const noMergeKey = (item: JsonObject, mergeKey: string): Error =>
  plainError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);

/** Returns the merge key of an element, or the element itself if there is none. Errors: 500. */
function identity(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  if (!isObject(item)) throw badArgument('map[string]interface {}', item);
  if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** Returns the index of each element; of elements with the same identity the first. */
function* positions(list: readonly unknown[], mergeKey: string): InSteps<Map<unknown, number>> {
  const strides = new Strides();
  const indexes = new Map<unknown, number>();
  for (const [i, item] of list.entries()) {
    const id = identity(item, mergeKey);
    if (!indexes.has(id)) indexes.set(id, i);
    if (strides.isOver) yield;
  }
  return indexes;
}

/** An element of the merged list. */
interface Element {
  readonly item: unknown;
  /** Its index in the order of the patch, and in the list of the server; -1 if it is not in it. */
  readonly ordered: number;
  readonly served: number;
}

type Rank = 'ordered' | 'served';

/** Returns the elements by one of their indexes. They mostly have this order already. */
function* sortedBy(rank: Rank, elements: readonly Element[]): InSteps<readonly Element[]> {
  const inOrder = elements.every((element, i) => i === 0 || (elements[i - 1] as Element)[rank] <= element[rank]);
  return inOrder ? elements : yield* sortInSteps(elements, (a, b) => a[rank] - b[rank]);
}

interface Ordering {
  readonly mergeKey: string;
  /** The order of the patch: its list itself, or its $setElementOrder. */
  readonly order: readonly unknown[];
  /** The list before the patch. */
  readonly server: readonly unknown[];
}

/**
 * Returns the merged elements in their final order. Elements in `order` have that order; elements that only the server has keep their
 * order, each before the first ordered element that came after it.
 */
export function* orderElements(merged: readonly unknown[], { mergeKey, order, server }: Ordering): InSteps<unknown[]> {
  const orderIndexes = yield* positions(order, mergeKey);
  const serverIndexes = yield* positions(server, mergeKey);
  const strides = new Strides();
  const [ordered, others]: [Element[], Element[]] = [[], []];
  for (const item of merged) {
    const id = identity(item, mergeKey);
    const element = { item, ordered: orderIndexes.get(id) ?? -1, served: serverIndexes.get(id) ?? -1 };
    (element.ordered < 0 ? others : ordered).push(element);
    if (strides.isOver) yield;
  }
  const rest = yield* sortedBy('served', others);
  const out: unknown[] = [];
  let next = 0;
  for (const { item, served } of yield* sortedBy('ordered', ordered)) {
    for (let first = rest[next]; first && first.served < served; first = rest[++next]) out.push(first.item);
    out.push(item);
    if (strides.isOver) yield;
  }
  for (const { item } of rest.slice(next)) out.push(item);
  return out;
}

/**
 * Returns the server's list for the computation of an order by $setElementOrder: without deleted items, followed by as many new ones as
 * were deleted. So a server item before a deleted one comes before new ones.
 */
export function* serverAfter(
  server: readonly unknown[],
  changes: readonly unknown[],
  mergeKey: string,
): InSteps<readonly unknown[]> {
  if (mergeKey === '') return server;
  const deleted = new Set(changes.filter(isDeletion).map(item => identity(item, mergeKey)));
  yield;
  const kept = server.filter(item => !deleted.has(identity(item, mergeKey)));
  yield;
  const known = new Set(kept.map(item => identity(item, mergeKey)));
  yield;
  const fresh = changes.filter(item => isObject(item) && !has(item, '$patch') && !known.has(identity(item, mergeKey)));
  return [...kept, ...fresh.slice(0, server.length - kept.length)];
}

const isDeletion = (item: unknown): boolean => isObject(item) && ownMember(item, '$patch') === 'delete';

/** Throws 500 unless the elements of the patch are in the order list, in the same order. Directives need not be in it. */
export function* checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): InSteps<void> {
  if (patch.length === 0 || order.length === 0) return;
  const strides = new Strides();
  let next = 0;
  for (const item of patch) {
    if (strides.isOver) yield;
    if (mergeKey !== '' && !isObject(item)) throw badArgument('map[string]interface {}', item);
    if (isDeletion(item) || (isObject(item) && has(item, '$patch'))) continue;
    const id = identity(item, mergeKey);
    while (next < order.length && identity(order[next], mergeKey) !== id) next++;
    if (next++ >= order.length)
      throw plainError(
        `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
      );
  }
}

/** Returns the field of a directive such as `$setElementOrder/env`. `what`: the name of the directive in the error (400). */
export function directedField(key: string, prefix: string, what: string): string {
  const [head, ...rest] = key.split('/');
  if (head !== prefix || rest.length === 0) throw badRequest(`invalid patch format of ${what}`);
  return rest.join('/');
}
