/** Changes the owners of fields when an object changes. */
import type { KubeObject } from '../interface.js';
import { applyConflict } from '../errors/apply-conflict.js';
import type { Schema } from '../codec/interface.js';
import {
  difference,
  intersection,
  isEmptySet,
  fieldPathsOf,
  fieldSetOf,
  unionOfSets,
  type FieldSet,
} from './typed/field-set.js';
import { reconcileWithSchema } from './typed/field-set-schema.js';
import { managerId, type Manager, type Managers } from './managed-fields.js';
import { fieldElement, printPath } from './typed/path-element.js';
import type { SetFilter } from './reset-fields.js';
import { objectShape } from './typed/shape.js';
import { compareTyped, type Comparison } from './typed/typed-compare.js';
import { compareInSteps } from './typed/typed-compare-steps.js';
import { type Pause, pausingAfterEach, type PatchSteps, type Versioned } from './versions.js';

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
export function* reconciled(live: Versioned, version: string, managers: Managers): PatchSteps<Managers> {
  if (managers.size === 0) return managers;
  let out: Map<string, Manager> | undefined;
  const schemas = new Map<string, Schema | undefined>([[version, live.schema]]);
  for (const [id, manager] of managers) {
    if (!schemas.has(manager.apiVersion)) {
      const converted = yield { object: live.object, apiVersion: manager.apiVersion };
      schemas.set(manager.apiVersion, converted?.schema);
    }
    const schema = schemas.get(manager.apiVersion);
    const set = schema ? reconcileWithSchema(manager.set, objectShape(schema)) : manager.set;
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

/** Returns the fields of a change in another version; undefined if it is not served. */
function* changedFieldsIn(change: Change, apiVersion: string): PatchSteps<ChangedFields | undefined> {
  const before = yield { object: change.before, apiVersion };
  const after = before && (yield { object: change.after, apiVersion });
  if (!before || !after) return undefined;
  const shape = objectShape(before.schema);
  const found = change.pause
    ? yield* pausingAfterEach(compareInSteps(before.object, after.object, shape), change.pause)
    : compareTyped(before.object, after.object, shape);
  return filtered(found, change.filter);
}

/** Returns whether the set has all written fields, and no removed ones. hot: for a writer that writes the same fields again. */
function isUnaffected(set: FieldSet, { written, removed }: ChangedFields): boolean {
  if (isEmptySet(set) || trackable(written) !== written) return false;
  return unionOfSets(set, written) === set && difference(set, removed) === set;
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
  const comparison = filtered(compared, change.filter);
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
    const taken = intersection(manager.set, changed.written);
    if (!isEmptySet(taken)) conflicts.set(manager, taken);
    const set = difference(difference(manager.set, taken), changed.removed);
    if (set === manager.set && !isEmptySet(set)) out.set(id, manager);
    else if (!isEmptySet(set)) out.set(id, { ...manager, set, entry: undefined });
  }
  return { managers: out, comparison, conflicts };
}

/** Returns 409 with one conflict per field, sorted by manager. */
export function conflictError(conflicts: ReadonlyMap<Manager, FieldSet>): Error {
  const byManager = [...conflicts].sort(([a], [b]) => (managerId(a) < managerId(b) ? -1 : 1));
  return applyConflict(
    byManager.flatMap(([manager, set]) =>
      [...fieldPathsOf(set)].map(path => ({
        manager: {
          manager: manager.manager,
          operation: manager.operation,
          apiVersion: manager.apiVersion,
          ...(manager.subresource !== '' && { subresource: manager.subresource }),
        },
        path: printPath(path),
      })),
    ),
  );
}

export const isUnchanged = ({ added, modified, removed }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(modified) && isEmptySet(removed);
