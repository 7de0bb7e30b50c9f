/**
 * A set of fields, as a trie of path elements. Nodes are immutable and shared: an operation that changes nothing returns its argument, so
 * that sets are mostly compared by reference.
 * as structured-merge-diff/fieldpath Set
 */
import type { JsonObject } from '../../interface.js';
import { comparePathElements, sortPathElements, type PathElement } from './path-element.js';

export interface FieldSet {
  /** Whether the field itself is in the set (`.` in fieldsV1). False for a root: no manager owns a whole object. */
  readonly owned: boolean;
  /** Never an empty map, and no child is an empty set. */
  readonly children: ReadonlyMap<PathElement, FieldSet> | undefined;
  /** The fieldsV1 of the set, once it was written (fields-v1.ts). */
  written?: JsonObject | undefined;
}

export type Path = readonly PathElement[];

export const emptySet: FieldSet = Object.freeze({ owned: false, children: undefined, written: {} });
/** The node of a field without fields below it. */
export const leafSet: FieldSet = Object.freeze({ owned: true, children: undefined, written: {} });

/** Reports whether a set has no field. */
export const isEmptySet = (set: FieldSet): boolean => !set.owned && set.children === undefined;

export type Children = ReadonlyMap<PathElement, FieldSet>;
const none: Children = new Map();

/** Returns a node. */
export function setNode(owned: boolean, children: Children | undefined): FieldSet {
  if (children === undefined || children.size === 0) return owned ? leafSet : emptySet;
  return { owned, children, written: undefined };
}

/** Returns a node; one of `others` if it is the same. */
export function reused(owned: boolean, children: Children | undefined, ...others: readonly FieldSet[]): FieldSet {
  for (const other of others) if (other.owned === owned && other.children === children) return other;
  return setNode(owned, children);
}

/** Reports whether two sets have the same fields. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children?.size !== b.children?.size) return false;
  for (const [element, child] of a.children ?? none) {
    const other = b.children?.get(element);
    if (!other || !equalSets(child, other)) return false;
  }
  return true;
}

/** Returns whether every field of `a` is in `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned && !b.owned) return false;
  for (const [element, child] of a.children ?? none) {
    const other = b.children?.get(element);
    if (!other || !isSubset(child, other)) return false;
  }
  return true;
}

/** Combines a child, undefined if there is none, with the child of another set that has the same element. An empty set stands for no child. */
type Combine = (child: FieldSet | undefined, other: FieldSet) => FieldSet;

/** Returns the children, with those that are also in `others`, or only there, replaced by the results of `combine`. */
function changeChildren(children: Children | undefined, others: Children, combine: Combine): Children | undefined {
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, other] of others) {
    const child = children?.get(element);
    const changed = combine(child, other);
    if (changed === (child ?? emptySet)) continue;
    out ??= new Map(children);
    if (isEmptySet(changed)) out.delete(element);
    else out.set(element, changed);
  }
  return out ?? children;
}

const unionOfChildren: Combine = (child, other) => (child ? unionOfSets(child, other) : other);

/** Returns the fields that are in either set. */
export function unionOfSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children =
    a.children && b.children ? changeChildren(a.children, b.children, unionOfChildren) : (a.children ?? b.children);
  return reused(a.owned || b.owned, children, a, b);
}

/** Returns the fields that are in any of the sets. It divides the sets into halves: otherwise the union would be copied for each set. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, second] = sets;
  if (second === undefined) return first;
  const middle = sets.length >> 1;
  return unionOfSets(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

/** Returns the fields that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const [few = none, many = none] =
    (a.children?.size ?? 0) <= (b.children?.size ?? 0) ? [a.children, b.children] : [b.children, a.children];
  let children: Map<PathElement, FieldSet> | undefined;
  let same = true;
  for (const [element, child] of few) {
    const other = many.get(element);
    const both = other ? intersection(child, other) : emptySet;
    if (both !== child) same = false;
    if (!isEmptySet(both)) (children ??= new Map<PathElement, FieldSet>()).set(element, both);
  }
  return reused(a.owned && b.owned, same && few !== none ? few : children, a, b);
}

const differenceOfChildren: Combine = (child, other) => (child ? difference(child, other) : emptySet);

/** Returns the fields of `a` that are not in `b`. A field below one of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return emptySet;
  return reused(a.owned && !b.owned, changeChildren(a.children, b.children ?? none, differenceOfChildren), a);
}

const recursiveDifferenceOfChildren: Combine = (child, other) =>
  child && !other.owned ? recursiveDifference(child, other) : emptySet;

/** Returns the fields of `a` that are neither in `b` nor below a field of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return reused(a.owned, changeChildren(a.children, b.children ?? none, recursiveDifferenceOfChildren), a);
}

/** Returns whether the field of a path is in the set. */
export function hasPath(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children?.get(element);
  return path.length > 0 && at !== undefined && at.owned;
}

/** Number of elements above which the check for sorted elements costs more than it saves: it parses each element twice. */
const manyElements = 1024;

/** Returns the elements of the children of a node in the order of fieldsV1. */
export function sortedElements(set: FieldSet): PathElement[] {
  if (set.written) return Object.keys(set.written).filter(key => key !== '.');
  const elements = [...(set.children?.keys() ?? [])];
  if (elements.length > manyElements) return sortPathElements(elements);
  // hot: a set that was made from a sorted one mostly is sorted
  for (let i = 1; i < elements.length; i++)
    if (comparePathElements(elements[i - 1] ?? '', elements[i] ?? '') > 0) return sortPathElements(elements);
  return elements;
}

/** Yields the paths of all fields: those of a level, sorted, before those below it. as structured-merge-diff/fieldpath Set.Iterate */
export function* fieldPathsOf(set: FieldSet, prefix: Path = []): Generator<Path> {
  const elements = sortedElements(set);
  for (const element of elements) if (set.children?.get(element)?.owned) yield [...prefix, element];
  for (const element of elements) {
    const child = set.children?.get(element);
    if (child?.children) yield* fieldPathsOf(child, [...prefix, element]);
  }
}

// --- drafts ---------------------------------------------------------------------------------------------------

/** A mutable set. Only nodes with the same `draft` may be changed; others may be shared with other sets. */
export interface SetDraft extends FieldSet {
  readonly draft: object;
  owned: boolean;
  children: Map<PathElement, FieldSet> | undefined;
}

const draftNode = (draft: object): SetDraft => ({ draft, owned: false, children: undefined, written: undefined });

/** Returns an empty set to which fields can be added. */
export const newDraft = (): SetDraft => draftNode({});

function openChild(parent: SetDraft, element: PathElement): SetDraft {
  parent.children ??= new Map<PathElement, FieldSet>();
  const found = parent.children.get(element);
  if (found && (found as Partial<SetDraft>).draft === parent.draft) return found as SetDraft;
  const child = draftNode(parent.draft);
  if (found) {
    child.owned = found.owned;
    child.children = found.children && new Map(found.children);
  }
  parent.children.set(element, child);
  return child;
}

/** Adds a field with the set `below` it. Parents are not added. */
export function insert(into: SetDraft, path: Path, below: FieldSet = leafSet): void {
  let at = into;
  const last = path.length - 1;
  if (last < 0) return;
  for (let i = 0; i < last; i++) at = openChild(at, path[i] ?? '');
  at.children ??= new Map<PathElement, FieldSet>();
  const element = path[last] ?? '';
  const present = at.children.get(element);
  at.children.set(element, present ? unionOfSets(present, below) : below);
}

/** Returns the set of these paths. */
export function fieldSetOf(...members: readonly Path[]): FieldSet {
  const set = newDraft();
  for (const path of members) insert(set, path);
  return set;
}
