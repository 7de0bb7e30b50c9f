/** Merges an applied value into a live one. */
import type { JsonObject } from '../../interface.js';
import { setKey } from '../../../lib/json/clone.js';
import { deepEqual } from '../../../lib/json/equality.js';
import { atOnce, type InSteps, Strides } from '../../../lib/time-slice.js';
import { isObject, ownMember } from '../json.js';
import type { PathElement } from './path-element.js';
import type { ListShape, MapShape, Shape } from './shape.js';
import { asList, asMap, atomOf, fieldShape, formOf, isEmptyMap, itemKey } from './typed.js';
import { newStrides } from './field-set-steps.js';

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
  readonly elements: PathElement[];
  readonly items: unknown[];
  readonly byElement: Map<PathElement, unknown>;
}

const newIndex = (): Indexed => ({ elements: [], items: [], byElement: new Map() });

function indexItem({ elements, items, byElement }: Indexed, list: ListShape, item: unknown): void {
  const key = itemKey(list, item);
  if ('fault' in key) return;
  const known = byElement.size;
  byElement.set(key.element, item);
  if (byElement.size === known) byElement.set(key.element, null);
  elements.push(key.element);
  items.push(item);
}

function index(list: ListShape, items: readonly unknown[]): Indexed {
  const found = newIndex();
  for (const item of items) indexItem(found, list, item);
  return found;
}

function* indexInSteps(list: ListShape, items: readonly unknown[], strides: Strides): InSteps<Indexed> {
  const found = newIndex();
  for (const item of items) {
    if (strides.isOver) yield;
    indexItem(found, list, item);
  }
  return found;
}

/** Returns whether two lists have the same elements in the same order, without duplicates. */
const areAlike = (live: Indexed, applied: Indexed): boolean =>
  live.byElement.size === live.elements.length &&
  live.elements.length === applied.elements.length &&
  live.elements.every((element, i) => element === applied.elements[i]);

/** The items of a merged list: each is made of the live and the applied item at its position. */
interface Placed {
  readonly live: readonly unknown[];
  /** Undefined for an item that only the live list has. */
  readonly applied: readonly unknown[];
}

/**
 * Returns the positions of the items of both lists. Items that only the live list has keep their position relative to the shared ones, as far as the
 * order of the applied list allows, which takes precedence.
 */
function* placeItems(live: Indexed, applied: Indexed, strides: Strides): InSteps<Placed> {
  if (areAlike(live, applied)) return { live: live.items, applied: applied.items };
  const shared = applied.elements.filter(element => live.byElement.has(element));
  const placed = new Set<PathElement>();
  const [left, right]: [unknown[], unknown[]] = [[], []];
  let [i, j, next] = [0, 0, 0];
  const placeApplied = (): void => {
    const element = applied.elements[j] ?? '';
    left.push(live.byElement.get(element));
    right.push(applied.items[j]);
    placed.add(element);
    if (shared[next] === element) next++;
    j++;
  };
  while (i < live.elements.length || j < applied.elements.length) {
    if (strides.isOver) yield;
    const element = live.elements[i];
    if (element !== undefined) {
      if (!applied.byElement.has(element)) {
        left.push(live.items[i++]);
        right.push(undefined);
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
  return { live: left, applied: right };
}

/** Returns the live list if the merged one has the same items. */
const sharedList = (live: unknown, left: readonly unknown[], merged: readonly unknown[]): unknown =>
  merged.length === left.length && merged.every((item, i) => item === left[i]) ? live : merged;

/** Strides of a walk that is not divided. */
const undivided = new Strides(Infinity);

function mergeLists(live: unknown, applied: unknown, list: ListShape): unknown {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(live, applied);
  const placed = atOnce(placeItems(index(list, left), index(list, right), undivided));
  const merged = placed.live.map((item, i) => mergeTyped(item, placed.applied[i], list.element()));
  return sharedList(live, left, merged);
}

/** As `mergeLists`. */
function* mergeListsInSteps(live: unknown, applied: unknown, list: ListShape, strides: Strides): InSteps<unknown> {
  const left = asList(live) ?? [];
  const right = asList(applied) ?? [];
  if (list.atomic || (left.length === 0 && right.length === 0)) return leaf(live, applied);
  const before = yield* indexInSteps(list, left, strides);
  const after = yield* indexInSteps(list, right, strides);
  yield;
  const placed = yield* placeItems(before, after, strides);
  yield;
  const merged: unknown[] = [];
  for (const [i, item] of placed.live.entries()) {
    if (strides.isOver) yield;
    const next = placed.applied[i];
    const shape = list.element();
    // A scalar needs no generator of its own.
    merged.push(typeof next === 'object' ? yield* merge(item, next, shape, strides) : mergeTyped(item, next, shape));
  }
  return sharedList(live, left, merged);
}

/** As `mergeMaps`. */
function* mergeMapsInSteps(live: unknown, applied: JsonObject, map: MapShape, strides: Strides): InSteps<unknown> {
  const left = asMap(live);
  let out: JsonObject | undefined;
  for (const name of Object.keys(applied)) {
    if (strides.isOver) yield;
    const before = left ? ownMember(left, name) : undefined;
    const shape = fieldShape(map, name);
    const after = shape ? yield* merge(before, applied[name], shape, strides) : applied[name];
    if (after !== before) setKey((out ??= { ...left }), name, after);
  }
  return out ?? left;
}

function* merge(live: unknown, applied: unknown, shape: Shape, strides: Strides): InSteps<unknown> {
  if (typeof applied !== 'object' || live === undefined || live === applied) return mergeTyped(live, applied, shape);
  const atom = atomOf(shape, formOf(shape, applied));
  if (atom.form === 'list') return yield* mergeListsInSteps(live, applied, atom.list, strides);
  if (atom.form === 'map' && !atom.map.atomic && isObject(applied) && !isEmptyMap(applied))
    return yield* mergeMapsInSteps(live, applied, atom.map, strides);
  return mergeTyped(live, applied, shape);
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

/** Returns what `mergeTyped` returns, in steps of a few milliseconds, for large values. */
export const mergeInSteps = (live: unknown, applied: unknown, shape: Shape): InSteps<unknown> =>
  merge(live, applied, shape, newStrides());
