/** Operations on FieldSets that depend on the schema of the objects. */
import type { InSteps, Strides } from '../../../lib/time-slice.js';
import { leafSet, setNode, type FieldSet } from './field-set.js';
import { newStrides, withChanges } from './field-set-steps.js';
import type { PathElement } from './path-element.js';
import type { MapShape, Shape } from './shape.js';

const fieldName = (element: PathElement): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

function shapeBelow(shape: Shape | undefined, element: PathElement): Shape | undefined {
  const name = fieldName(element);
  if (name !== undefined) return shape?.map?.field(name) ?? shape?.map?.element();
  return element.startsWith('k:') ? shape?.list?.element() : undefined;
}

/** Returns the set of a child, with the field itself if it is declared and anything below it is in the set. */
function namedChild(element: PathElement, below: FieldSet, shape: Shape | undefined): FieldSet {
  const name = fieldName(element);
  const isNamed = name !== undefined && shape?.map?.field(name) !== undefined;
  return isNamed && !below.owned && below.children ? setNode(true, below.children) : below;
}

/**
 * Returns the set with the declared fields above its members: with `spec.replicas` it contains `spec`.
 * as structured-merge-diff/fieldpath Set.EnsureNamedFieldsAreMembers
 */
export function withNamedFields(set: FieldSet, shape: Shape | undefined): FieldSet {
  if (!set.children) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children)
    children.set(element, namedChild(element, withNamedFields(child, shapeBelow(shape, element)), shape));
  return setNode(set.owned, children);
}

function* namedSteps(set: FieldSet, shape: Shape | undefined, strides: Strides): InSteps<FieldSet> {
  if (!set.children) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    if (strides.isOver) yield;
    const below = child.children ? yield* namedSteps(child, shapeBelow(shape, element), strides) : child;
    children.set(element, namedChild(element, below, shape));
  }
  return setNode(set.owned, children);
}

/** Returns what `withNamedFields` returns, in steps. */
export const withNamedFieldsInSteps = (set: FieldSet, shape: Shape): InSteps<FieldSet> =>
  namedSteps(set, shape, newStrides());

/** Returns whether a list or map is atomic, so that a set contains it as one field. */
const isAtomic = (shape: Shape): boolean =>
  shape.map ? shape.map.atomic : shape.scalar === undefined && shape.list?.atomic === true;

function elementShape(shape: Shape, map: MapShape | undefined, element: PathElement): Shape | undefined {
  if (!map) return shape.scalar === undefined ? shape.list?.element() : undefined;
  const name = fieldName(element);
  return (name === undefined ? undefined : map.field(name)) ?? map.element();
}

function reconcile(set: FieldSet, shape: Shape): FieldSet {
  if (!set.children || shape.map?.deduced) return set;
  if (isAtomic(shape)) return leafSet;
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const below = elementShape(shape, shape.map, element);
    const changed = below ? reconcile(child, below) : child;
    if (changed !== child) (out ??= new Map(set.children)).set(element, changed);
  }
  return out ? setNode(set.owned, out) : set;
}

function* reconcileSteps(set: FieldSet, shape: Shape, strides: Strides): InSteps<FieldSet> {
  if (!set.children || shape.map?.deduced || isAtomic(shape)) return reconcile(set, shape);
  const changes = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    if (strides.isOver) yield;
    if (!child.children) continue;
    const below = elementShape(shape, shape.map, element);
    const changed = below ? yield* reconcileSteps(child, below, strides) : child;
    if (changed !== child) changes.set(element, changed);
  }
  return changes.size > 0 ? setNode(set.owned, yield* withChanges(set.children, changes, strides)) : set;
}

/** Sets that conform to a shape. hot: nearly all sets do, and were checked before. */
const conforming = new WeakMap<Shape, WeakSet<FieldSet>>();

function conformingTo(shape: Shape): WeakSet<FieldSet> {
  let known = conforming.get(shape);
  if (!known) conforming.set(shape, (known = new WeakSet()));
  return known;
}

/**
 * Adapts a set to a change of the schema that made a list or map atomic: an owner of parts of it owns all of it.
 * as structured-merge-diff/typed ReconcileFieldSetWithSchema
 */
export function reconcileWithSchema(set: FieldSet, shape: Shape): FieldSet {
  const known = conformingTo(shape);
  if (known.has(set)) return set;
  const out = reconcile(set, shape);
  known.add(out);
  return out;
}

/** Returns what `reconcileWithSchema` returns, in steps. */
export function* reconcileInSteps(set: FieldSet, shape: Shape): InSteps<FieldSet> {
  const known = conformingTo(shape);
  if (known.has(set)) return set;
  const out = yield* reconcileSteps(set, shape, newStrides());
  known.add(out);
  return out;
}
