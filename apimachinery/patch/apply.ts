/** Server-side apply: merges an applied object into the live one, and computes the owners of fields. */
import type { GroupVersionKind, KubeObject, ManagedFieldsEntry } from '../interface.js';
import { deepEqualSteps } from '../../lib/json/equality-steps.js';
import { apiVersionOf, gvkText, readApiVersion } from '../meta/gvk.js';
import { badRequest, plainError } from '../errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import { atOnce, type InSteps } from '../../lib/time-slice.js';
import type { Schema } from '../codec/interface.js';
import { emptyObject, withoutManagedFields } from './empty-object.js';
import { emptySet, equalSets, isEmptySet, type FieldSet } from './typed/field-set.js';
import { differenceInSteps, newStrides } from './typed/field-set-steps.js';
import { writeSteps } from './typed/fields-v1.js';
import { fieldsOfLastApplied, kubectlManager, withLastApplied } from './last-applied.js';
import {
  managerId,
  managersInSteps,
  readManagedFields,
  writeManagedFields,
  writeManagersSteps,
  type Manager,
  type Managers,
} from './managed-fields.js';
import { changeOwners, conflictError, reconciled, trackable } from './ownership.js';
import { pruneUnowned } from './prune.js';
import { filterOf } from './reset-fields.js';
import { objectShape } from './typed/shape.js';
import { fieldsOf } from './typed/typed-fields.js';
import { fieldsInSteps } from './typed/typed-fields-steps.js';
import { mergeInSteps, mergeTyped } from './typed/typed-merge.js';
import { typedFault, typedFaultInSteps } from './typed/typed-validate.js';
import { type TrackedWrite, updatedManagers } from './update.js';
import {
  pausingAfterEach,
  run,
  runAsync,
  type Convert,
  type ConvertAsync,
  type Pause,
  type PatchSteps,
} from './patch-steps.js';

export interface Apply extends TrackedWrite {
  /** The stored object in the version of the request; undefined if there is none. */
  readonly live: KubeObject | undefined;
  /** The body of the request, decoded but not defaulted. */
  readonly applied: KubeObject;
  readonly force: boolean;
}

export interface Applied {
  /** The merged object, not yet decoded and defaulted, without managedFields; `live` itself if it does not change. */
  readonly object: KubeObject;
  /** The new metadata.managedFields of the object; the array of `live` itself if ownership does not change. */
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

interface Started extends Apply {
  readonly live: KubeObject;
  readonly id: string;
  /** The fields of the body, without those that the endpoint resets. */
  readonly set: FieldSet;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the type of an object as texts show it. A malformed apiVersion makes the whole type empty; a kind that is not a string is ''. */
export function typeMetaText({ apiVersion, kind }: KubeObject): string {
  const gv = readApiVersion(textOf(apiVersion));
  return gvkText(gv ? { ...gv, kind: textOf(kind) } : { group: '', version: '', kind: '' });
}

/** Returns the name and type of an object as errors of an apply show them. */
export const nameText = (object: KubeObject): string =>
  `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}; ${typeMetaText(object)}`;

/**
 * Checks that the body has the endpoint's kind and no managedFields, before anything else. Errors: 400. Name, uid and resourceVersion are
 * checked on the merged object.
 */
export function checkApplied(applied: KubeObject, gvk: GroupVersionKind): void {
  if (applied.apiVersion !== apiVersionOf(gvk) || applied.kind !== gvk.kind)
    throw badRequest(`invalid object type: ${typeMetaText(applied)}`);
  // null counts as absent
  if ((applied.metadata?.managedFields ?? undefined) !== undefined)
    throw badRequest('metadata.managedFields must be nil');
}

/** Returns the managers of the live object; fields of an object without managedFields belong to `before-first-apply`. */
function* startingManagers(input: Apply): PatchSteps<Managers> {
  const entries = input.live?.metadata.managedFields ?? [];
  const read = input.pause
    ? yield* pausingAfterEach(managersInSteps(entries), input.pause)
    : readManagedFields(entries);
  if (typeof read === 'string') throw plainError(`failed to decode managed fields: ${read}`);
  if (read.size > 0 || !input.live) return read;
  const existing = { ...input, next: input.live, manager: 'before-first-apply' };
  return yield* updatedManagers(existing, emptyObject(input.schema), read);
}

/** Returns the merged object, its managers, and the fields that other managers own with other values. */
function* merged(
  input: Started,
  managers: Managers,
): PatchSteps<{
  readonly object: KubeObject;
  readonly managers: Managers;
  readonly conflicts: ReadonlyMap<Manager, FieldSet>;
}> {
  const { live, applied, schema, version, id, set } = input;
  const started = yield* reconciled({ object: live, schema }, version, managers, input.pause);
  const last = started.get(id);
  const { manager, subresource } = input;
  const self: Manager = { manager, operation: 'Apply', apiVersion: version, subresource, time: last?.time, set };
  const all = new Map(started).set(id, self);
  if (input.pause) yield input.pause;
  const shape = objectShape(schema);
  const both = input.pause
    ? yield* pausingAfterEach(mergeInSteps(live, applied, shape), input.pause)
    : mergeTyped(live, applied, shape);
  if (input.pause) yield input.pause;
  const object = yield* pruneUnowned({ object: both as KubeObject, schema }, version, all, {
    last,
    set,
    pause: input.pause,
  });
  if (input.pause) yield input.pause;
  const change = {
    before: live,
    after: object,
    schema,
    version,
    self: id,
    filter: filterOf(input.resetFields),
    pause: input.pause,
  };
  const owners = yield* changeOwners(change, all);
  return { object, managers: owners.managers, conflicts: owners.conflicts };
}

/** Returns the conflicts without the fields that kubectl applied client-side before, which it may take over. */
function* withoutLastApplied(
  conflicts: ReadonlyMap<Manager, FieldSet>,
  { live, schema, version, manager }: Started,
): InSteps<ReadonlyMap<Manager, FieldSet>> {
  if (manager !== kubectlManager || conflicts.size === 0) return conflicts;
  const lastApplied = yield* fieldsOfLastApplied(live, schema, version);
  const remaining = new Map<Manager, FieldSet>();
  for (const [other, set] of conflicts) {
    const left = yield* differenceInSteps(set, lastApplied);
    if (!isEmptySet(left)) remaining.set(other, left);
  }
  return remaining;
}

/** Throws 409 if there are conflicts. */
function* checkConflicts(found: ReadonlyMap<Manager, FieldSet>, started: Started): InSteps<void> {
  const conflicts = yield* withoutLastApplied(found, started);
  if (conflicts.size === 0) return;
  // Sets that are written know the order of their fields, in which the error lists them.
  const strides = newStrides();
  for (const set of conflicts.values()) yield* writeSteps(set, strides);
  throw conflictError(conflicts);
}

/** Runs a part that needs no conversions. */
function* part<T>(steps: InSteps<T>, pause: Pause | undefined): PatchSteps<T> {
  return pause ? yield* pausingAfterEach(steps, pause) : atOnce(steps);
}

/** The stored objects that were checked. hot: each is checked once. */
const conforming = new WeakMap<KubeObject, Schema>();

/** Throws 500 for a stored object that does not conform to the schema, since that was changed after the write. */
function* checkLive(stored: KubeObject, live: KubeObject, { schema, pause }: Apply): PatchSteps<void> {
  if (conforming.get(stored) === schema) return;
  const shape = objectShape(schema);
  const fault = pause
    ? yield* pausingAfterEach(typedFaultInSteps(live, shape, 'allowed'), pause)
    : typedFault(live, shape, 'allowed');
  if (fault !== undefined) throw plainError(`failed to create typed live object (${nameText(live)}): ${fault}`);
  conforming.set(stored, schema);
}

function* steps(input: Apply): PatchSteps<Applied> {
  const { applied, schema, version, subresource } = input;
  const shape = objectShape(schema);
  const managers = yield* startingManagers(input);
  if (input.pause) yield input.pause;
  const fault = input.pause
    ? yield* pausingAfterEach(typedFaultInSteps(applied, shape), input.pause)
    : typedFault(applied, shape);
  if (fault !== undefined) throw plainError(`failed to create typed patch object (${nameText(applied)}): ${fault}`);
  const live = input.live ? withoutManagedFields(input.live) : emptyObject(schema);
  if (input.pause) yield input.pause;
  if (input.live) yield* checkLive(input.live, live, input);
  const id = managerId({ manager: input.manager, operation: 'Apply', apiVersion: version, subresource });
  if (input.pause) yield input.pause;
  const fields = input.pause
    ? yield* pausingAfterEach(fieldsInSteps(applied, shape), input.pause)
    : fieldsOf(applied, shape);
  const set = filterOf(input.resetFields)(fields);
  const started: Started = { ...input, live, id, set };
  const result = yield* merged(started, managers);
  if (input.pause) yield input.pause;
  if (!input.force && result.conflicts.size > 0) yield* part(checkConflicts(result.conflicts, started), input.pause);
  const changed = result.object !== live && !(yield* part(deepEqualSteps(result.object, live), input.pause));
  if (input.pause) yield input.pause;
  const owners = new Map(result.managers);
  const self = finished(owners.get(id), managers.get(id), changed ? formatTime(input.now) : undefined);
  if (self) owners.set(id, self);
  else owners.delete(id);
  if (input.pause) {
    yield input.pause;
    yield* pausingAfterEach(writeManagersSteps(owners), input.pause);
  }
  const object = changed ? result.object : (input.live ?? live);
  return {
    object: input.manager === kubectlManager ? yield* part(withLastApplied(object, applied), input.pause) : object,
    managedFields: writeManagedFields(owners, input.live?.metadata.managedFields),
  };
}

/** Returns the applier after the apply: undefined if it owns no field, and its former self if nothing changed. */
function finished(
  self: Manager | undefined,
  before: Manager | undefined,
  time: string | undefined,
): Manager | undefined {
  const set = trackable(self?.set ?? emptySet);
  if (!self || isEmptySet(set)) return undefined;
  const same = before?.apiVersion === self.apiVersion && equalSets(before.set, set);
  if (same) return time === undefined || time === before.time ? before : { ...before, time, entry: undefined };
  return { ...self, set, ...(time !== undefined && { time }) };
}

/**
 * Merges the applied object into the live one. Fields that the manager applied before and does not apply any more are removed, unless
 * others own them.
 * Errors: 409 with a cause per field that others own with other values, unless forced; 500 without reason for a body
 * that does not conform to the schema. Call `checkApplied` first. `convert` is called only for other versions.
 * as apimachinery/pkg/util/managedfields FieldManager.Apply
 */
export function apply(input: Apply, convert?: Convert): Applied {
  return run(steps(input), convert);
}

/** `apply` for kinds whose conversion may call a webhook. */
export function applyAsync(input: Apply, convert: ConvertAsync): Promise<Applied> {
  return runAsync(steps(input), convert);
}
