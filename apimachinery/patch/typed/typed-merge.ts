/** Merges an applied value into a live one. */
import type { JsonObject } from '../../interface.js';
import { setKey } from '../../../lib/json/clone.js';
import { deepEqual } from '../../../lib/json/equality.js';
import { ownMember } from '../json.js';
import type { PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, isEmptyMap, itemKey } from './typed.js';

/** Returns the applied leaf, or the live one if they are equal, so that unchanged parts are shared. */
const leaf = (live: unknown, applied: unknown): unknown => (deepEqual(live, applied) ? live : applied);

function mergeMaps(live: unknown, applied: unknown, map: MapShape): unknown {
  const left = asMap(live);
  const right = asMap(applied);
  const names = right && !map.atomic ? Object.keys(right) : [];
  if (map.atomic || (names.length === 0 && isEmptyMap(left))) return leaf(live, applied);
  let out: JsonObject | undefined;
  for (const name of names) {
    const before = left ? ownMember(left, name) : undefined;
    const shape = fieldShape(map, name);
    const after = shape ? mergeTyped(before, right?.[name], shape) : right?.[name];
    if (after !== before) setKey((out ??= { ...left }), name, after);
  }
  return out ?? left;
}

/** The items of a list by their elements. Duplicates have null as their value, and are not merged with. */
interface Indexed {
  readonly elements: readonly PathElement[];
  readonly items: readonly unknown[];
  readonly byElement: ReadonlyMap<PathElement, unknown>;
}

function index(list: ListShape, value: unknown): Indexed {
  const elements: PathElement[] = [];
  const items: unknown[] = [];
  const byElement = new Map<PathElement, unknown>();
  for (const item of asList(value) ?? []) {
    const key = itemKey(list, item);
    if ('fault' in key) continue;
    const known = byElement.size;
    byElement.set(key.element, item);
    if (byElement.size === known) byElement.set(key.element, null);
    elements.push(key.element);
    items.push(item);
  }
  return { elements, items, byElement };
}

/** Returns whether two lists have the same elements in the same order, without duplicates. */
const areAlike = (live: Indexed, applied: Indexed): boolean =>
  live.byElement.size === live.elements.length &&
  live.elements.length === applied.elements.length &&
  live.elements.every((element, i) => element === applied.elements[i]);

/**
 * Merges the items of both lists. Items that only the live list has keep their position relative to the shared ones, as far as the order
 * of the applied list allows, which takes precedence.
 */
function mergeItems(live: Indexed, applied: Indexed, shape: Shape): unknown[] {
  if (areAlike(live, applied)) return applied.items.map((item, i) => mergeTyped(live.items[i], item, shape));
  const shared = applied.elements.filter(element => live.byElement.has(element));
  const placed = new Set<PathElement>();
  const out: unknown[] = [];
  let [i, j, next] = [0, 0, 0];
  const placeApplied = (): void => {
    const element = applied.elements[j] ?? '';
    out.push(mergeTyped(live.byElement.get(element), applied.items[j], shape));
    placed.add(element);
    if (shared[next] === element) next++;
    j++;
  };
  while (i < live.elements.length || j < applied.elements.length) {
    const element = live.elements[i];
    if (element !== undefined) {
      if (!applied.byElement.has(element)) {
        out.push(live.items[i++]);
        continue;
      }
      const pending = j < applied.elements.length ? shared[next] : undefined;
      if (element === applied.elements[j]) placeApplied();
      else if (pending === undefined || pending === element) {
        if (placed.has(element)) i++;
        if (j < applied.elements.length) placeApplied();
        continue;
      }
      // The element has just been placed, or comes later in the applied list.
      i++;
    } else placeApplied();
  }
  return out;
}

function mergeLists(live: unknown, applied: unknown, list: ListShape): unknown {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(live, applied);
  const out = mergeItems(index(list, left), index(list, right), list.element());
  return out.length === left.length && out.every((item, i) => item === left[i]) ? live : out;
}

/**
 * Merges the applied value into the live one; undefined stands for no value. Nothing is removed: null over a map or list changes
 * nothing. Unchanged parts are shared with `live`. Both values must have passed validation.
 * as structured-merge-diff/typed TypedValue.Merge
 */
export function mergeTyped(live: unknown, applied: unknown, shape: Shape): unknown {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  const atom = atomOf(shape, formOf(shape, applied));
  if (atom.form === 'map') return mergeMaps(live, applied, atom.map);
  if (atom.form === 'list') return mergeLists(live, applied, atom.list);
  return leaf(live, applied);
}
