/** Filters the fields that an endpoint resets, so that no manager that writes through it owns them. */
import {
  isEmptySet,
  leafSet,
  recursiveDifference,
  setNode,
  setOf,
  union,
  type FieldSet,
  type Path,
} from './typed/field-set.js';
import { fieldElement, type PathElement } from './typed/path-element.js';

/**
 * Dotted paths that are reset with all that is below them (`status`, `metadata.finalizers`); or the only ones that are not, `*`
 * standing for any list item or key (`spec.containers.*.resources`).
 */
export type ResetFields = readonly string[] | { readonly allBut: readonly string[] };

export type SetFilter = (set: FieldSet) => FieldSet;

const all: SetFilter = set => set;

const pathOf = (dotted: string): Path => dotted.split('.').map(name => (name === '*' ? '*' : fieldElement(name)));

/** What of the set is at or below one of the paths. */
function kept(set: FieldSet, pattern: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children ?? []) {
    const wanted = pattern.children?.get('*') ?? pattern.children?.get(element);
    if (!wanted) continue;
    const below = wanted.children ? kept(child, wanted) : child;
    // containers on the way to a wanted field are kept as far as they are owned themselves
    const mine = wanted.children && child.owned ? union(below, leafSet) : below;
    if (!isEmptySet(mine)) children.set(element, mine);
  }
  return setNode(false, children);
}

const filters = new WeakMap<object, SetFilter>();

function makeFilter(reset: ResetFields): SetFilter {
  if ('allBut' in reset) {
    const pattern = setOf(...reset.allBut.map(pathOf));
    return set => kept(set, pattern);
  }
  const gone = setOf(...reset.map(pathOf));
  return gone.children ? set => recursiveDifference(set, gone) : all;
}

/** Computed once per list. */
export function filterOf(reset: ResetFields | undefined): SetFilter {
  if (!reset) return all;
  let filter = filters.get(reset);
  if (!filter) filters.set(reset, (filter = makeFilter(reset)));
  return filter;
}
