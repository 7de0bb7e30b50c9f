/**
 * A set of fields, as a trie of path elements. A node is immutable once it is handed out, and shared: an operation that changes
 * nothing hands back its argument, so that equality is mostly a comparison of references.
 * as structured-merge-diff/fieldpath Set
 */
import { comparePathElements, type PathElement } from './path-element.js';

export interface FieldSet {
  /** The field itself is in the set (`.` in fieldsV1). Never true of a root: nobody owns a whole object. */
  readonly owned: boolean;
  /** Never empty, and no child is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet> | undefined;
}

export type Path = readonly PathElement[];

export const emptySet: FieldSet = { owned: false, children: undefined };
/** A field without further fields below it. */
export const leafSet: FieldSet = { owned: true, children: undefined };

export const isEmptySet = (set: FieldSet): boolean => !set.owned && set.children === undefined;

type Children = ReadonlyMap<PathElement, FieldSet>;

/** A node of these parts; one of the arguments when it has them already. */
function node(owned: boolean, children: Children | undefined, ...reuse: readonly FieldSet[]): FieldSet {
  const kept = children?.size === 0 ? undefined : children;
  for (const candidate of reuse) if (candidate.owned === owned && candidate.children === kept) return candidate;
  if (kept === undefined) return owned ? leafSet : emptySet;
  return { owned, children: kept };
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.owned !== b.owned || a.children?.size !== b.children?.size) return false;
  for (const [element, child] of a.children ?? []) {
    const other = b.children?.get(element);
    if (!other || !equalSets(child, other)) return false;
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
  return node(a.owned || b.owned, unionChildren(a.children, b.children), a, b);
}

/** The children of `a`, each changed by a function; undefined drops one. */
function mapChildren(
  children: Children | undefined,
  change: (element: PathElement, child: FieldSet) => FieldSet,
): Children | undefined {
  if (children === undefined) return undefined;
  let out: Map<PathElement, FieldSet> | undefined;
  for (const [element, child] of children) {
    const changed = change(element, child);
    if (changed === child) continue;
    out ??= new Map(children);
    if (isEmptySet(changed)) out.delete(element);
    else out.set(element, changed);
  }
  return out ?? children;
}

/** Fields that are in both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children = mapChildren(a.children, (element, child) => {
    const other = b.children?.get(element);
    return other ? intersection(child, other) : emptySet;
  });
  return node(a.owned && b.owned, children, a, b);
}

/** Fields of `a` that are not in `b`. A field below one that is in `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return emptySet;
  const gone = b.children;
  const children = gone
    ? mapChildren(a.children, (element, child) => {
        const other = gone.get(element);
        return other ? difference(child, other) : child;
      })
    : a.children;
  return node(a.owned && !b.owned, children, a);
}

/** Fields of `a` that are neither in `b` nor below one that is. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  const gone = b.children;
  if (!gone) return a;
  const children = mapChildren(a.children, (element, child) => {
    const other = gone.get(element);
    if (!other) return child;
    return other.owned ? emptySet : recursiveDifference(child, other);
  });
  return node(a.owned, children, a);
}

export function hasPath(set: FieldSet, path: Path): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children?.get(element);
  return path.length > 0 && at !== undefined && at.owned;
}

/** Only the fields below which nothing else is in the set. */
export function leaves(set: FieldSet): FieldSet {
  if (set.children === undefined) return set;
  return node(
    false,
    mapChildren(set.children, (_, child) => leaves(child)),
    set,
  );
}

/** The elements of a node's children in the order of fieldsV1. */
export function sortedElements(set: FieldSet): PathElement[] {
  return [...(set.children?.keys() ?? [])].sort(comparePathElements);
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

/** A set while it is made: only nodes that are `open` may be changed, others are finished and perhaps shared. */
export interface SetDraft extends FieldSet {
  readonly open: true;
  owned: boolean;
  children: Map<PathElement, FieldSet> | undefined;
}

export const newDraft = (): SetDraft => ({ open: true, owned: false, children: undefined });

function openChild(parent: SetDraft, element: PathElement): SetDraft {
  parent.children ??= new Map<PathElement, FieldSet>();
  const found = parent.children.get(element);
  if (found && 'open' in found) return found as SetDraft;
  const child = newDraft();
  if (found) {
    child.owned = found.owned;
    child.children = found.children && new Map(found.children);
  }
  parent.children.set(element, child);
  return child;
}

/** Adds a field and, given `below`, everything that is in that set below it. Parents are not added. */
export function insert(draft: SetDraft, path: Path, below: FieldSet = leafSet): void {
  let at = draft;
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
  const draft = newDraft();
  for (const path of members) insert(draft, path);
  return draft;
}
