/** Filters the fields that an endpoint resets, which managers that write through it do not own. */
import {
  isEmptySet,
  leafSet,
  recursiveDifference,
  setNode,
  fieldSetOf,
  unionOfSets,
  type FieldSet,
  type Path,
} from './typed/field-set.js';
import { fieldElement, type PathElement } from './typed/path-element.js';

/**
 * Dotted paths that are reset with all fields below them (`status`, `metadata.finalizers`), or the only paths that are not reset. `*`
 * matches any list item or key (`spec.containers.*.resources`).
 */
export type ResetFields = readonly string[] | { readonly allBut: readonly string[] };

export type SetFilter = (set: FieldSet) => FieldSet;

const all: SetFilter = set => set;

const pathOf = (dotted: string): Path => dotted.split('.').map(name => (name === '*' ? '*' : fieldElement(name)));

/** Returns the fields of the set that are at or below one of the paths. */
function matching(set: FieldSet, pattern: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children ?? []) {
    const match = pattern.children?.get('*') ?? pattern.children?.get(element);
    if (!match) continue;
    const below = match.children ? matching(child, match) : child;
    // Containers on the way to a matching field stay in the set if they are in it themselves.
    const matched = match.children && child.owned ? unionOfSets(below, leafSet) : below;
    if (!isEmptySet(matched)) children.set(element, matched);
  }
  return setNode(false, children);
}

const filters = new WeakMap<object, SetFilter>();

function makeFilter(reset: ResetFields): SetFilter {
  if ('allBut' in reset) {
    const pattern = fieldSetOf(...reset.allBut.map(pathOf));
    return set => matching(set, pattern);
  }
  const removed = fieldSetOf(...reset.map(pathOf));
  return removed.children ? set => recursiveDifference(set, removed) : all;
}

/** Returns the filter of a list of fields, which is made once. */
export function filterOf(reset: ResetFields | undefined): SetFilter {
  if (!reset) return all;
  let filter = filters.get(reset);
  if (!filter) filters.set(reset, (filter = makeFilter(reset)));
  return filter;
}
