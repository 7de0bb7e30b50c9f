/** Changes the owners of fields when an object changes. */
import type { KubeObject } from '../interface.js';
import { applyConflict, type ApplyConflict } from '../errors/apply-conflict.js';
import { maxFaults } from '../errors/limits.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Schema } from '../codec/interface.js';
import {
  difference,
  intersection,
  isEmptySet,
  isSubset,
  fieldPathsOf,
  fieldSetOf,
  unionOfSets,
  type FieldSet,
} from './typed/field-set.js';
import { reconcileInSteps, reconcileWithSchema } from './typed/field-set-schema.js';
import { differenceInSteps, intersectionInSteps, unionInSteps } from './typed/field-set-steps.js';
import { managerId, type Manager, type Managers } from './managed-fields.js';
import { fieldElement, printPath } from './typed/path-element.js';
import type { SetFilter } from './reset-fields.js';
import { objectShape } from './typed/shape.js';
import { compareTyped, type Comparison } from './typed/typed-compare.js';
import { compareInSteps } from './typed/typed-compare-steps.js';
import { type Pause, pausingAfterEach, type PatchSteps, type Versioned } from './patch-steps.js';

/** Fields that no manager owns. as apimachinery/pkg/util/managedfields/internal stripMeta */
const unowned = fieldSetOf(
  ...['apiVersion', 'kind', 'metadata'].map(name => [fieldElement(name)]),
  ...`name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion`
    .split(' ')
    .map(name => [fieldElement('metadata'), fieldElement(name)]),
);

/** Returns the set without the fields that no manager owns. */
export const trackable = (set: FieldSet): FieldSet => difference(set, unowned);

/** Returns the managers with their sets adapted to the current schemas. Managers in versions that are not served any more stay; a change drops them. */
export function* reconciled(
  live: Versioned,
  version: string,
  managers: Managers,
  pause: Pause | undefined,
): PatchSteps<Managers> {
  if (managers.size === 0) return managers;
  let out: Map<string, Manager> | undefined;
  const schemas = new Map<string, Schema | undefined>([[version, live.schema]]);
  for (const [id, manager] of managers) {
    if (!schemas.has(manager.apiVersion)) {
      const converted = yield { object: live.object, apiVersion: manager.apiVersion };
      schemas.set(manager.apiVersion, converted?.schema);
    }
    const schema = schemas.get(manager.apiVersion);
    if (!schema) continue;
    const shape = objectShape(schema);
    const set = pause
      ? yield* pausingAfterEach(reconcileInSteps(manager.set, shape), pause)
      : reconcileWithSchema(manager.set, shape);
    if (set !== manager.set) (out ??= new Map(managers)).set(id, { ...manager, set, entry: undefined });
  }
  return out ?? managers;
}

interface Change {
  readonly before: KubeObject;
  readonly after: KubeObject;
  readonly schema: Schema;
  /** The version of both objects. */
  readonly version: string;
  /** The id of the manager that makes the change, and does not lose fields by it. */
  readonly self: string;
  /** The id of the manager that gets the written fields afterwards. Its set is not changed if it would lose no other fields. */
  readonly writer?: string;
  readonly filter: SetFilter;
  /** Lets other requests run between the parts of the work; set for large objects. */
  readonly pause?: Pause | undefined;
}

/** The fields that a change concerns, in one version. */
interface ChangedFields extends Comparison {
  /** Added or modified. */
  readonly written: FieldSet;
}

function filtered({ added, modified, removed }: Comparison, filter: SetFilter): ChangedFields {
  const [more, other, less] = [filter(added), filter(modified), filter(removed)];
  return { added: more, modified: other, removed: less, written: unionOfSets(other, more) };
}

/** As `filtered`. */
function* filteredInSteps({ added, modified, removed }: Comparison, filter: SetFilter): InSteps<ChangedFields> {
  const more = filter(added);
  yield;
  const other = filter(modified);
  yield;
  const less = filter(removed);
  yield;
  return { added: more, modified: other, removed: less, written: yield* unionInSteps(other, more) };
}

/** Returns the fields of a change in another version; undefined if it is not served. */
function* changedFieldsIn(change: Change, apiVersion: string): PatchSteps<ChangedFields | undefined> {
  const before = yield { object: change.before, apiVersion };
  const after = before && (yield { object: change.after, apiVersion });
  if (!before || !after) return undefined;
  const shape = objectShape(before.schema);
  const found = change.pause
    ? yield* pausingAfterEach(compareInSteps(before.object, after.object, shape), change.pause)
    : compareTyped(before.object, after.object, shape);
  return change.pause
    ? yield* pausingAfterEach(filteredInSteps(found, change.filter), change.pause)
    : filtered(found, change.filter);
}

/** Returns whether the set has all written fields, and no removed ones. hot: for a writer that writes the same fields again. */
function isUnaffected(set: FieldSet, { written, removed }: ChangedFields): boolean {
  if (isEmptySet(set) || trackable(written) !== written) return false;
  return isSubset(written, set) && difference(set, removed) === set;
}

/** The fields that a manager loses by a change, and those that remain. */
interface Loss {
  /** The lost fields that the change writes. */
  readonly taken: FieldSet;
  readonly left: FieldSet;
}

function lossOf(set: FieldSet, { written, removed }: ChangedFields): Loss {
  const taken = intersection(set, written);
  return { taken, left: difference(difference(set, taken), removed) };
}

/** As `lossOf`. */
function* lossInSteps(set: FieldSet, { written, removed }: ChangedFields): InSteps<Loss> {
  const taken = yield* intersectionInSteps(set, written);
  return { taken, left: yield* differenceInSteps(yield* differenceInSteps(set, taken), removed) };
}

interface Owners {
  /** The managers after the change; `self` is not changed. */
  readonly managers: Managers;
  readonly comparison: ChangedFields;
  /** The written fields that other managers owned, by manager. */
  readonly conflicts: ReadonlyMap<Manager, FieldSet>;
}

const noConflicts: Owners['conflicts'] = new Map();

/**
 * Removes the added, modified and removed fields from the sets of all other managers. Managers without fields, and those in a version that
 * is not served any more, are dropped.
 * as structured-merge-diff/merge Updater.update
 */
export function* changeOwners(change: Change, managers: Managers): PatchSteps<Owners> {
  const shape = objectShape(change.schema);
  const compared = change.pause
    ? yield* pausingAfterEach(compareInSteps(change.before, change.after, shape), change.pause)
    : compareTyped(change.before, change.after, shape);
  if (change.pause) yield change.pause;
  const comparison = change.pause
    ? yield* pausingAfterEach(filteredInSteps(compared, change.filter), change.pause)
    : filtered(compared, change.filter);
  if (managers.size === 0) return { managers, comparison, conflicts: noConflicts };
  const byVersion = new Map<string, ChangedFields | undefined>([[change.version, comparison]]);
  const conflicts = new Map<Manager, FieldSet>();
  const out = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (id === change.self) {
      if (!isEmptySet(manager.set)) out.set(id, manager);
      continue;
    }
    if (!byVersion.has(manager.apiVersion))
      byVersion.set(manager.apiVersion, yield* changedFieldsIn(change, manager.apiVersion));
    const changed = byVersion.get(manager.apiVersion);
    if (!changed) continue;
    if (change.pause) yield change.pause;
    if (id === change.writer && isUnaffected(manager.set, changed)) {
      out.set(id, manager);
      continue;
    }
    const { taken, left } = change.pause
      ? yield* pausingAfterEach(lossInSteps(manager.set, changed), change.pause)
      : lossOf(manager.set, changed);
    if (!isEmptySet(taken)) conflicts.set(manager, taken);
    if (left === manager.set && !isEmptySet(left)) out.set(id, manager);
    else if (!isEmptySet(left)) out.set(id, { ...manager, set: left, entry: undefined });
  }
  return { managers: out, comparison, conflicts };
}

/** Returns 409 with one conflict per field, sorted by manager. Only the paths that the answer has are printed. */
export function conflictError(conflicts: ReadonlyMap<Manager, FieldSet>): Error {
  const byManager = [...conflicts].sort(([a], [b]) => (managerId(a) < managerId(b) ? -1 : 1));
  const shown: ApplyConflict[] = [];
  let count = 0;
  for (const [{ manager, operation, apiVersion, subresource }, set] of byManager) {
    const owner = { manager, operation, apiVersion, ...(subresource !== '' && { subresource }) };
    for (const path of fieldPathsOf(set)) {
      if (count < maxFaults) shown.push({ manager: owner, path: printPath(path) });
      count++;
    }
  }
  return applyConflict(shown, count);
}

/** Reports whether two compared objects have the same fields with the same values. */
export const isUnchanged = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
