/** Removes the fields that a manager applied last time and does not apply any more. */
import type { KubeObject } from '../interface.js';
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  isSubset,
  unionOf,
  unionOfSets,
  type FieldSet,
} from './typed/field-set.js';
import { withNamedFields, withNamedFieldsInSteps } from './typed/field-set-schema.js';
import { differenceInSteps, intersectionInSteps, unionInSteps, unionOfInSteps } from './typed/field-set-steps.js';
import type { Manager, Managers } from './managed-fields.js';
import { objectShape, type Shape } from './typed/shape.js';
import { namedFieldsOf } from './typed/typed-fields.js';
import { namedFieldsInSteps } from './typed/typed-fields-steps.js';
import { removeItems, removeItemsInSteps } from './typed/typed-items.js';
import { type Pause, pausingAfterEach, type PatchSteps, type Versioned } from './patch-steps.js';

function* without(object: KubeObject, items: FieldSet, shape: Shape, pause: Pause | undefined): PatchSteps<KubeObject> {
  const rest = pause
    ? yield* pausingAfterEach(removeItemsInSteps(object, items, shape), pause)
    : removeItems(object, items, shape);
  return rest as KubeObject;
}

function* namedFields(object: KubeObject, shape: Shape, pause: Pause | undefined): PatchSteps<FieldSet> {
  return pause ? yield* pausingAfterEach(namedFieldsInSteps(object, shape), pause) : namedFieldsOf(object, shape);
}

function* withNames(set: FieldSet, shape: Shape, pause: Pause | undefined): PatchSteps<FieldSet> {
  return pause ? yield* pausingAfterEach(withNamedFieldsInSteps(set, shape), pause) : withNamedFields(set, shape);
}

/** Returns the fields that managers own, by the version in which they wrote. */
function* ownedByVersion(managers: Managers, pause: Pause | undefined): PatchSteps<ReadonlyMap<string, FieldSet>> {
  const sets = new Map<string, FieldSet[]>();
  for (const { apiVersion, set } of managers.values()) {
    const others = sets.get(apiVersion);
    if (others) others.push(set);
    else sets.set(apiVersion, [set]);
  }
  const owned = new Map<string, FieldSet>();
  for (const [apiVersion, all] of sets)
    owned.set(apiVersion, pause ? yield* pausingAfterEach(unionOfInSteps(all), pause) : unionOf(all));
  return owned;
}

function* inVersion(of: Versioned, from: string, apiVersion: string): PatchSteps<Versioned | undefined> {
  return from === apiVersion ? of : yield { object: of.object, apiVersion };
}

/** The merged object before and after pruning, both in one version. */
interface Pruning {
  readonly merged: Versioned;
  readonly pruned: Versioned;
  readonly version: string;
  /** The fields of `merged`. */
  readonly all: FieldSet | undefined;
  readonly pause: Pause | undefined;
}

/** Puts back fields that were removed with an item or field, but have an owner in this version. */
function* putBackOwned(of: Pruning, version: string, owned: FieldSet): PatchSteps<Pruning> {
  const { pause } = of;
  const merged = yield* inVersion(of.merged, of.version, version);
  const pruned = yield* inVersion(of.pruned, of.version, version);
  if (!merged || !pruned) return of;
  const shape = objectShape(merged.schema);
  const present = yield* namedFields(pruned.object, shape, pause);
  const named = yield* withNames(owned, shape, pause);
  const kept = pause ? yield* pausingAfterEach(unionInSteps(present, named), pause) : unionOfSets(present, named);
  const all = merged === of.merged && of.all ? of.all : yield* namedFields(merged.object, shape, pause);
  const gone = pause ? yield* pausingAfterEach(differenceInSteps(all, kept), pause) : difference(all, kept);
  const object = yield* without(merged.object, gone, shape, pause);
  return { merged, pruned: { object, schema: merged.schema }, version, all, pause };
}

/** Puts back fields that were removed with others, but that this manager did not own: defaults, and fields without owner. */
function* putBackUnowned(
  { merged, all = emptySet, pause }: Pruning,
  pruned: Versioned,
  last: FieldSet,
): PatchSteps<KubeObject> {
  const shape = objectShape(merged.schema);
  const present = yield* namedFields(pruned.object, shape, pause);
  const named = yield* withNames(last, shape, pause);
  if (!pause) return yield* without(merged.object, intersection(difference(all, present), named), shape, pause);
  const gone = yield* pausingAfterEach(differenceInSteps(all, present), pause);
  const items = yield* pausingAfterEach(intersectionInSteps(gone, named), pause);
  return yield* without(merged.object, items, shape, pause);
}

/** The manager that applies. */
interface Applier {
  /** As it was before. */
  readonly last: Manager | undefined;
  /** The fields that it applies. */
  readonly set: FieldSet;
  readonly pause?: Pause | undefined;
}

/**
 * Returns the merged object without the fields that the manager owned before (`last`) and no manager owns now; the merged object itself if
 * there are none. `managers` contains the manager with its new set.
 * as structured-merge-diff/merge Updater.prune
 */
export function* pruneUnowned(
  merged: Versioned,
  version: string,
  managers: Managers,
  { last, set, pause }: Applier,
): PatchSteps<KubeObject> {
  if (!last || isEmptySet(last.set)) return merged.object;
  // hot: all fields of last time are applied again, so nothing is removed
  if (last.apiVersion === version && isSubset(last.set, set)) return merged.object;
  if (pause) yield pause;
  const start = yield* inVersion(merged, version, last.apiVersion);
  if (!start) return merged.object;
  const shape = objectShape(start.schema);
  const items = yield* withNames(last.set, shape, pause);
  const cut = yield* without(start.object, items, shape, pause);
  const all = yield* namedFields(start.object, shape, pause);
  const first: Pruning = {
    merged: start,
    pruned: { object: cut, schema: start.schema },
    version: last.apiVersion,
    all,
    pause,
  };
  let pruning = first;
  const owned = yield* ownedByVersion(managers, pause);
  const versions = [last.apiVersion, ...[...owned.keys()].filter(other => other !== last.apiVersion)];
  for (const other of versions) {
    const set = owned.get(other);
    if (set) pruning = yield* putBackOwned(pruning, other, set);
  }
  const pruned = yield* inVersion(pruning.pruned, pruning.version, last.apiVersion);
  if (!pruned) return merged.object;
  const object = yield* putBackUnowned(first, pruned, last.set);
  const back = yield* inVersion({ object, schema: start.schema }, last.apiVersion, version);
  return back ? back.object : merged.object;
}
