/**
 * A set of fields, as a trie of path elements. A node is immutable once it is handed out, and shared: an operation that changes
 * nothing hands back its argument, so that equality is mostly a comparison of references.
 * as structured-merge-diff/fieldpath Set
 */
import type { JsonObject } from '../../interface.js';
import { comparePathElements, sortPathElements, type PathElement } from './path-element.js';

export interface FieldSet {
  /** The field itself is in the set (`.` in fieldsV1). Never true of a root: nobody owns a whole object. */
  readonly owned: boolean;
  /** Never empty, and no child is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet> | undefined;
  /** As fieldsV1 writes it, once somebody asked (fields-v1.ts). */
  written?: JsonObject | undefined;
}

export type Path = readonly PathElement[];

export const emptySet: FieldSet = Object.freeze({ owned: false, children: undefined, written: {} });
/** A field without further fields below it. */
export const leafSet: FieldSet = Object.freeze({ owned: true, children: undefined, written: {} });

export const isEmptySet = (set: FieldSet): boolean => !set.owned && set.children === undefined;

type Children = ReadonlyMap<PathElement, FieldSet>;
const none: Children = new Map();

/** A node of these parts. */
export function setNode(owned: boolean, children: Children | undefined): FieldSet {
  if (children === undefined || children.size === 0) return owned ? leafSet : emptySet;
  return { owned, children, written: undefined };
}

/** A node of these parts; one of the others when it has them already. */
function reused(owned: boolean, children: Children | undefined, ...others: readonly FieldSet[]): FieldSet {
  for (const other of others) if (other.owned === owned && other.children === children) return other;
  return setNode(owned, children);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children?.size !== b.children?.size) return false;
  for (const [element, child] of a.children ?? none) {
    const other = b.children?.get(element);
    if (!other || !equalSets(child, other)) return false;
  }
  return true;
}

/** Is every field of `a` in `b`? */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned && !b.owned) return false;
  for (const [element, child] of a.children ?? none) {
    const other = b.children?.get(element);
    if (!other || !isSubset(child, other)) return false;
  }
  return true;
}

function unionChildren(a: Children | undefined, b: Children | undefined): Children | undefined {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of b) {
    const mine = a.get(element);
    const both = mine ? union(mine, child) : child;
    if (both !== mine) (out ??= new Map(a)).set(element, both);
  }
  return out ?? a;
}

/** Fields that are in either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  return reused(a.owned || b.owned, unionChildren(a.children, b.children), a, b);
}

/** Fields that are in any. In halves: one after the other the union would be copied for each of many sets. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, second] = sets;
  if (second === undefined) return first;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

/** The children with those that `by` also has changed by a function; an empty result drops one. */
function changeChildren(
  children: Children | undefined,
  by: Children,
  change: (mine: FieldSet, other: FieldSet) => FieldSet,
): Children | undefined {
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, other] of by) {
    const mine = children?.get(element);
    if (!mine) continue;
    const changed = change(mine, other);
    if (changed === mine) continue;
    out ??= new Map(children);
    if (isEmptySet(changed)) out.delete(element);
    else out.set(element, changed);
  }
  return out ?? children;
}

/** Fields that are in both. */
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

/** Fields of `a` that are not in `b`. A field below one that is in `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return emptySet;
  return reused(a.owned && !b.owned, changeChildren(a.children, b.children ?? none, difference), a);
}

/** Fields of `a` that are neither in `b` nor below one that is. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  const children = changeChildren(a.children, b.children ?? none, (mine, other) =>
    other.owned ? emptySet : recursiveDifference(mine, other),
  );
  return reused(a.owned, children, a);
}

export function hasPath(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children?.get(element);
  return path.length > 0 && at !== undefined && at.owned;
}

/** Number of elements above which the check for sorted elements costs more than it saves: it parses each element twice. */
const manyElements = 1024;

/** The elements of a node's children in the order of fieldsV1. */
export function sortedElements(set: FieldSet): PathElement[] {
  const elements = [...(set.children?.keys() ?? [])];
  if (elements.length > manyElements) return sortPathElements(elements);
  // hot: a set that came from a sorted one mostly still is sorted
  for (let i = 1; i < elements.length; i++)
    if (comparePathElements(elements[i - 1] ?? '', elements[i] ?? '') > 0) return sortPathElements(elements);
  return elements;
}

/** All fields: those of a level before those below it, each level sorted (as Set.Iterate). */
export function* paths(set: FieldSet, prefix: Path = []): Generator<Path> {
  const elements = sortedElements(set);
  for (const element of elements) if (set.children?.get(element)?.owned) yield [...prefix, element];
  for (const element of elements) {
    const child = set.children?.get(element);
    if (child?.children) yield* paths(child, [...prefix, element]);
  }
}

// ----------------------------------------------------------------------------------------------------- making one

/** A set while it is made: only nodes of the same making may be changed, others are finished and perhaps shared. */
export interface SetDraft extends FieldSet {
  readonly making: object;
  owned: boolean;
  children: Map<PathElement, FieldSet> | undefined;
}

const draft = (making: object): SetDraft => ({ making, owned: false, children: undefined, written: undefined });

export const newDraft = (): SetDraft => draft({});

function openChild(parent: SetDraft, element: PathElement): SetDraft {
  parent.children ??= new Map<PathElement, FieldSet>();
  const found = parent.children.get(element);
  if (found && (found as Partial<SetDraft>).making === parent.making) return found as SetDraft;
  const child = draft(parent.making);
  if (found) {
    child.owned = found.owned;
    child.children = found.children && new Map(found.children);
  }
  parent.children.set(element, child);
  return child;
}

/** Adds a field and, given `below`, everything that is in that set below it. Parents are not added. */
export function insert(into: SetDraft, path: Path, below: FieldSet = leafSet): void {
  let at = into;
  const last = path.length - 1;
  if (last < 0) return;
  for (let i = 0; i < last; i++) at = openChild(at, path[i] ?? '');
  at.children ??= new Map<PathElement, FieldSet>();
  const element = path[last] ?? '';
  const present = at.children.get(element);
  at.children.set(element, present ? union(present, below) : below);
}

/** The set of these paths. */
export function setOf(...members: readonly Path[]): FieldSet {
  const set = newDraft();
  for (const path of members) insert(set, path);
  return set;
}
