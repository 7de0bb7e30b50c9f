/** Orders the elements of a merged list: what the patch says first, then what the server had. */
import type { JsonObject } from '../../interface.js';
import { badRequest, plainError } from '../../errors/status.js';
import { goType, goValue } from '../go-value.js';
import { get, has, isObject } from '../json.js';

export const badArgument = (wanted: string, found: unknown): Error =>
  plainError(`expected a ${wanted}, but received a ${found === null ? '%!s(<nil>)' : goType(found)}`);

export const noMergeKey = (item: JsonObject, mergeKey: string): Error =>
  plainError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);

/** What tells an element from others: its merge key, or itself. */
function identity(item: unknown, mergeKey: string): unknown {
  if (mergeKey === '') return item;
  if (!isObject(item)) throw badArgument('map[string]interface {}', item);
  if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item[mergeKey];
}

/** Where each element stands; of several with one identity, the first. */
function positions(list: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const at = new Map<unknown, number>();
  list.forEach((item, i) => {
    const id = identity(item, mergeKey);
    if (!at.has(id)) at.set(id, i);
  });
  return at;
}

export interface Ordering {
  readonly mergeKey: string;
  /** The order that the patch wants: the patched list itself, or its $setElementOrder. */
  readonly wanted: readonly unknown[];
  /** The list before the patch. */
  readonly server: readonly unknown[];
}

/**
 * The merged elements in their final order: those that the patch names stand as it names them; those that only the server has keep
 * their order, each before the first named element that stood behind it.
 */
export function orderElements(merged: readonly unknown[], { mergeKey, wanted, server }: Ordering): unknown[] {
  const wantedAt = positions(wanted, mergeKey);
  const serverAt = positions(server, mergeKey);
  const place = (at: Map<unknown, number>, item: unknown): number => at.get(identity(item, mergeKey)) ?? -1;
  const sorted = (items: unknown[], at: Map<unknown, number>): unknown[] =>
    items.sort((a, b) => place(at, a) - place(at, b));
  const named = sorted(
    merged.filter(item => wantedAt.has(identity(item, mergeKey))),
    wantedAt,
  );
  const others = sorted(
    merged.filter(item => !wantedAt.has(identity(item, mergeKey))),
    serverAt,
  );
  const out: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const here = place(serverAt, item);
    while (here >= 0 && next < others.length && place(serverAt, others[next]) < here) out.push(others[next++]);
    out.push(item);
  }
  return [...out, ...others.slice(next)];
}

/**
 * The server's list as the order of a $setElementOrder is found by: without deleted items, and with as many new ones behind as were
 * deleted. A server item that stood before a deleted one then stands before new ones.
 */
export function serverAfter(
  server: readonly unknown[],
  changes: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  if (mergeKey === '') return server;
  const deleted = new Set(changes.filter(isDeletion).map(item => identity(item, mergeKey)));
  const kept = server.filter(item => !deleted.has(identity(item, mergeKey)));
  const known = new Set(kept.map(item => identity(item, mergeKey)));
  const fresh = changes.filter(item => isObject(item) && !has(item, '$patch') && !known.has(identity(item, mergeKey)));
  return [...kept, ...fresh.slice(0, server.length - kept.length)];
}

const isDeletion = (item: unknown): boolean => isObject(item) && get(item, '$patch') === 'delete';

/** The patched elements must stand in the order list, in the same order. Deletions and other directives may be missing. */
export function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  let next = 0;
  for (const item of patch) {
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

/** The field that a directive such as `$setElementOrder/env` speaks of. `what` names the directive in the error (400). */
export function directedField(key: string, prefix: string, what: string): string {
  const [head, ...rest] = key.split('/');
  if (head !== prefix || rest.length === 0) throw badRequest(`invalid patch format of ${what}`);
  return rest.join('/');
}
