/**
 * Maps ownership to the scale subresource and back: the owner of the replicas of an object owns those of its Scale.
 * as apimachinery/pkg/util/managedfields ScaleHandler
 */
import type { ManagedFieldsEntry } from '../interface.js';
import type { InSteps } from '../../lib/time-slice.js';
import { hasPath, isEmptySet, fieldSetOf, type Path } from './typed/field-set.js';
import { differenceInSteps } from './typed/field-set-steps.js';
import { managersInSteps, writeManagedFields, writeManagersSteps, type Manager } from './managed-fields.js';
import { fieldElement } from './typed/path-element.js';

export const scaleVersion = 'autoscaling/v1';

/** The replicas path (`.spec.replicas`) of each version of the object; undefined for a version without scale subresource. */
export type ReplicasPaths = Readonly<Record<string, string | undefined>>;

const pathOf = (dotted: string): Path => dotted.replace(/^\./, '').split('.').map(fieldElement);
const replicas = fieldSetOf(pathOf('spec.replicas'));

function* managersIn(entries: readonly ManagedFieldsEntry[] | undefined): InSteps<ReadonlyMap<string, Manager>> {
  const read = yield* managersInSteps(entries ?? []);
  return typeof read === 'string' ? new Map() : read;
}

function replicasPath(paths: ReplicasPaths, version: string): Path | undefined {
  const dotted = Object.hasOwn(paths, version) ? paths[version] : undefined;
  return dotted === undefined ? undefined : pathOf(dotted);
}

/** Returns the managedFields of the Scale from those of the object. */
export function* toScaleSteps(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): InSteps<ManagedFieldsEntry[] | undefined> {
  const out = new Map<string, Manager>();
  for (const [id, manager] of yield* managersIn(parent)) {
    const path = replicasPath(paths, manager.apiVersion);
    if (path && hasPath(manager.set, path))
      out.set(id, { ...manager, apiVersion: scaleVersion, set: replicas, entry: undefined });
  }
  return writeManagedFields(out);
}

/**
 * Returns the managedFields of the object after a write of its Scale. New entries have no time; entries in versions that are not served
 * any more are dropped. `version`: the version for new entries.
 */
export function* fromScaleSteps(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  version: string,
  paths: ReplicasPaths,
): InSteps<ManagedFieldsEntry[] | undefined> {
  const before = yield* managersIn(parent);
  const scaled = new Map(yield* managersIn(scale));
  const out = new Map<string, Manager>();
  for (const [id, manager] of before) {
    if (!Object.hasOwn(paths, manager.apiVersion)) continue;
    const path = replicasPath(paths, manager.apiVersion);
    if (!path || !hasPath(manager.set, path)) out.set(id, manager);
    else if (scaled.delete(id)) out.set(id, manager);
    else {
      const set = yield* differenceInSteps(manager.set, fieldSetOf(path));
      if (!isEmptySet(set)) out.set(id, { ...manager, set, entry: undefined });
    }
  }
  const path = replicasPath(paths, version);
  for (const [id, manager] of path ? scaled : []) {
    if (!hasPath(manager.set, pathOf('spec.replicas'))) continue;
    const time = before.get(id)?.time;
    out.set(id, { ...manager, apiVersion: version, set: fieldSetOf(path ?? []), time, entry: undefined });
  }
  yield* writeManagersSteps(out);
  return writeManagedFields(out, parent);
}
