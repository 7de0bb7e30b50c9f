/** Computes the owners of fields after a write other than apply: create, update, and other patches. */
import type { KubeObject, ManagedFieldsEntry } from '../interface.js';
import { formatTime } from '../../lib/go/time.js';
import { atOnce } from '../../lib/time-slice.js';
import type { Schema } from '../codec/interface.js';
import { emptyObject, withoutManagedFields } from './empty-object.js';
import { emptySet, isEmptySet, unionOfSets, type FieldSet } from './typed/field-set.js';
import { unionInSteps } from './typed/field-set-steps.js';
import {
  capUpdaters,
  managerId,
  managersOf,
  writeManager,
  writeManagedFields,
  writeManagersSteps,
  type Manager,
  type Managers,
} from './managed-fields.js';
import { newFields, newFieldsInSteps } from './new-fields.js';
import { changeOwners, isUnchanged, reconciled, trackable } from './ownership.js';
import { filterOf, type ResetFields } from './reset-fields.js';
import {
  pausingAfterEach,
  run,
  runAsync,
  type Convert,
  type ConvertAsync,
  type Pause,
  type PatchSteps,
} from './patch-steps.js';

/** What the tracking of field ownership needs to know of a write. */
export interface TrackedWrite {
  readonly schema: Schema;
  /** The version of the request: `apps/v1`. */
  readonly version: string;
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly resetFields?: ResetFields | undefined;
  readonly now: Date;
  /** Lets other requests run between the parts of the work; set for large objects. */
  readonly pause?: Pause | undefined;
}

/** A manager '' is written as `unknown`. */
export interface TrackUpdate extends TrackedWrite {
  /** The stored object in the version of the request; undefined for a create. */
  readonly live: KubeObject | undefined;
  /** The new object in the same version, decoded and defaulted, before admission. Its managedFields are read too. */
  readonly next: KubeObject;
}

/** Stands for the writer in a change. No manager can have this id. */
const current = 'current-operation';

function* capped(managers: Managers, pause: Pause | undefined): PatchSteps<Managers> {
  return pause
    ? yield* pausingAfterEach(capUpdaters(managers, 'in steps'), pause)
    : atOnce(capUpdaters(managers, 'at once'));
}

/** Returns the writer as the owner of fields. */
const ownerOf = ({ manager, version, subresource, now }: TrackedWrite, set: FieldSet): Manager => ({
  manager: manager === '' ? 'unknown' : manager,
  operation: 'Update',
  apiVersion: version,
  subresource,
  time: formatTime(now),
  set,
});

/** hot: most creations. Returns the entries of a new object without any: its creator owns all fields. */
function ownedByCreator(input: TrackUpdate): ManagedFieldsEntry[] | undefined {
  const set = newFields(input.next, input.schema, filterOf(input.resetFields));
  return isEmptySet(set) ? undefined : [writeManager(ownerOf(input, set))];
}

/** Returns the managers after the change from `before` to the new object. The writer owns all fields that it changed. */
export function* updatedManagers(input: TrackUpdate, before: KubeObject, managers: Managers): PatchSteps<Managers> {
  const { schema, version } = input;
  const filter = filterOf(input.resetFields);
  const after = withoutManagedFields(input.next);
  const id = managerId(ownerOf(input, emptySet));
  if (managers.size === 0 && before === emptyObject(schema)) {
    const set = input.pause
      ? yield* newFieldsInSteps(after, schema, filter, input.pause)
      : newFields(after, schema, filter);
    return isEmptySet(set) ? managers : new Map([[id, ownerOf(input, set)]]);
  }
  const started = yield* reconciled({ object: before, schema }, version, managers, input.pause);
  if (input.pause) yield input.pause;
  const change = { before, after, schema, version, self: current, writer: id, filter, pause: input.pause };
  const { managers: others, comparison } = yield* changeOwners(change, started);
  if (input.pause) yield input.pause;
  if (isUnchanged(comparison)) return others;
  const taken = trackable(comparison.written);
  if (input.pause) yield input.pause;
  if (isEmptySet(taken)) return yield* capped(others, input.pause);
  const previous = others.get(id)?.set ?? emptySet;
  const set = input.pause
    ? yield* pausingAfterEach(unionInSteps(previous, taken), input.pause)
    : unionOfSets(previous, taken);
  return yield* capped(new Map(others).set(id, ownerOf(input, set)), input.pause);
}

function* steps(input: TrackUpdate): PatchSteps<ManagedFieldsEntry[] | undefined> {
  const { live, next, schema, subresource } = input;
  const reading = managersOf(live, next, subresource, input.pause ? 'in steps' : 'at once');
  const managers = input.pause ? yield* pausingAfterEach(reading, input.pause) : atOnce(reading);
  if (input.pause) yield input.pause;
  if (managers.size === 0 && live) return undefined;
  const before = live ? withoutManagedFields(live) : emptyObject(schema);
  const after = yield* updatedManagers(input, before, managers);
  if (input.pause) {
    yield input.pause;
    yield* pausingAfterEach(writeManagersSteps(after), input.pause);
  }
  return writeManagedFields(after, live?.metadata.managedFields);
}

// hot: every write
/**
 * Returns metadata.managedFields for the new object: undefined if ownership is not tracked, and the array of `live` itself if it does not
 * change. `convert` is called only for versions other than that of the request.
 * as apimachinery/pkg/util/managedfields FieldManager.Update
 */
export function trackUpdate(input: TrackUpdate, convert?: Convert): ManagedFieldsEntry[] | undefined {
  if (!input.live && !input.pause && input.next.metadata.managedFields === undefined) return ownedByCreator(input);
  return run(steps(input), convert);
}

/** `trackUpdate` for kinds whose conversion may call a webhook. */
export function trackUpdateAsync(input: TrackUpdate, convert: ConvertAsync): Promise<ManagedFieldsEntry[] | undefined> {
  return runAsync(steps(input), convert);
}
