/** FieldSets seen with the shape of the objects that they speak of. */
import { leafSet, setNode, type FieldSet } from './field-set.js';
import type { PathElement } from './path-element.js';
import type { MapShape, Shape } from './shape.js';

const fieldName = (element: PathElement): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

function shapeBelow(shape: Shape | undefined, element: PathElement): Shape | undefined {
  const name = fieldName(element);
  if (name !== undefined) return shape?.map?.field(name) ?? shape?.map?.element();
  return element.startsWith('k:') ? shape?.list?.element() : undefined;
}

/**
 * The set with every declared field in it below which something is in it: who owns `spec.replicas` owns `spec`.
 * as structured-merge-diff/fieldpath Set.EnsureNamedFieldsAreMembers
 */
export function withNamedFields(set: FieldSet, shape: Shape | undefined): FieldSet {
  if (!set.children) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    const below = withNamedFields(child, shapeBelow(shape, element));
    const name = fieldName(element);
    const named = name !== undefined && shape?.map?.field(name) !== undefined;
    children.set(element, named && !below.owned && below.children ? setNode(true, below.children) : below);
  }
  return setNode(set.owned, children);
}

/** What a set says of a list or map that is one field now: only that it is owned. */
const isOneField = (shape: Shape): boolean =>
  shape.map ? shape.map.atomic : shape.scalar === undefined && shape.list?.atomic === true;

function elementShape(shape: Shape, map: MapShape | undefined, element: PathElement): Shape | undefined {
  if (!map) return shape.scalar === undefined ? shape.list?.element() : undefined;
  const name = fieldName(element);
  return (name === undefined ? undefined : map.field(name)) ?? map.element();
}

function reconcile(set: FieldSet, shape: Shape): FieldSet {
  if (!set.children || shape.map?.deduced) return set;
  if (isOneField(shape)) return leafSet;
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of set.children) {
    const below = elementShape(shape, shape.map, element);
    const changed = below ? reconcile(child, below) : child;
    if (changed !== child) (out ??= new Map(set.children)).set(element, changed);
  }
  return out ? setNode(set.owned, out) : set;
}

// hot: nearly always the set is as the schema wants it, and was seen before
const settled = new WeakMap<Shape, WeakSet<FieldSet>>();

/**
 * Returns the set after a change of schema that made a list or map atomic: an owner of parts of it owns all of it.
 * as structured-merge-diff/typed ReconcileFieldSetWithSchema
 */
export function reconcileWithSchema(set: FieldSet, shape: Shape): FieldSet {
  let seen = settled.get(shape);
  if (!seen) settled.set(shape, (seen = new WeakSet()));
  if (seen.has(set)) return set;
  const out = reconcile(set, shape);
  seen.add(out);
  return out;
}
