/** Removes the fields that a manager applied last time and does not apply any more. */
import type { KubeObject } from '../interface.js';
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  isSubset,
  unionOfSets,
  type FieldSet,
} from './typed/field-set.js';
import { withNamedFields } from './typed/field-set-schema.js';
import type { Manager, Managers } from './managed-fields.js';
import { objectShape, type Shape } from './typed/shape.js';
import { namedFieldsOf } from './typed/typed-fields.js';
import { removeItems } from './typed/typed-items.js';
import type { PatchSteps, Versioned } from './versions.js';

const without = (object: KubeObject, items: FieldSet, shape: Shape): KubeObject =>
  removeItems(object, items, shape) as KubeObject;

/** Returns the fields that managers own, by the version in which they wrote. */
function ownedByVersion(managers: Managers): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values())
    owned.set(apiVersion, unionOfSets(owned.get(apiVersion) ?? emptySet, set));
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
}

/** Puts back fields that were removed with an item or field, but have an owner in this version. */
function* putBackOwned(of: Pruning, version: string, owned: FieldSet): PatchSteps<Pruning> {
  const merged = yield* inVersion(of.merged, of.version, version);
  const pruned = yield* inVersion(of.pruned, of.version, version);
  if (!merged || !pruned) return of;
  const shape = objectShape(merged.schema);
  const kept = unionOfSets(namedFieldsOf(pruned.object, shape), withNamedFields(owned, shape));
  const all = merged === of.merged && of.all ? of.all : namedFieldsOf(merged.object, shape);
  const object = without(merged.object, difference(all, kept), shape);
  return { merged, pruned: { object, schema: merged.schema }, version, all };
}

/** Puts back fields that were removed with others, but that this manager did not own: defaults, and fields without owner. */
function putBackUnowned(merged: Versioned, all: FieldSet, pruned: Versioned, last: FieldSet): KubeObject {
  const shape = objectShape(merged.schema);
  const gone = difference(all, namedFieldsOf(pruned.object, shape));
  return without(merged.object, intersection(gone, withNamedFields(last, shape)), shape);
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
  applier: { readonly last: Manager | undefined; readonly set: FieldSet },
): PatchSteps<KubeObject> {
  const { last, set } = applier;
  if (!last || isEmptySet(last.set)) return merged.object;
  // hot: all fields of last time are applied again, so nothing is removed
  if (last.apiVersion === version && isSubset(last.set, set)) return merged.object;
  const start = yield* inVersion(merged, version, last.apiVersion);
  if (!start) return merged.object;
  const shape = objectShape(start.schema);
  const cut = without(start.object, withNamedFields(last.set, shape), shape);
  const all = namedFieldsOf(start.object, shape);
  let pruning: Pruning = {
    merged: start,
    pruned: { object: cut, schema: start.schema },
    version: last.apiVersion,
    all,
  };
  const owned = ownedByVersion(managers);
  const versions = [last.apiVersion, ...[...owned.keys()].filter(other => other !== last.apiVersion)];
  for (const other of versions) {
    const set = owned.get(other);
    if (set) pruning = yield* putBackOwned(pruning, other, set);
  }
  const pruned = yield* inVersion(pruning.pruned, pruning.version, last.apiVersion);
  if (!pruned) return merged.object;
  const object = putBackUnowned(start, all, pruned, last.set);
  const back = yield* inVersion({ object, schema: start.schema }, last.apiVersion, version);
  return back ? back.object : merged.object;
}
