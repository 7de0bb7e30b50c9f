/** Who owns what after a write that is no apply: create, update, and the other patches. */
import type { KubeObject, ManagedFieldsEntry } from '../interface.js';
import { formatTime } from '../../lib/go/time.js';
import type { Schema } from '../codec/interface.js';
import { emptyObject, withoutManagedFields } from './empty-object.js';
import { isEmptySet, union, type FieldSet } from './typed/field-set.js';
import {
  capUpdaters,
  managerId,
  managersOf,
  writeManagedFields,
  writeManagersSteps,
  type Manager,
  type Managers,
} from './managed-fields.js';
import { newFields } from './new-fields.js';
import { changeOwners, isUnchanged, reconciled, trackable } from './ownership.js';
import { filterOf, type ResetFields } from './reset-fields.js';
import {
  pausingAfterEach,
  run,
  runAsync,
  type Convert,
  type ConvertAsync,
  type Pause,
  type Steps,
} from './versions.js';

export interface TrackUpdate {
  /** As stored, in the version of the request; undefined when the write creates the object. */
  readonly live: KubeObject | undefined;
  /** What the client wants, in the same version: decoded and defaulted, before admission. Its managedFields are read too. */
  readonly next: KubeObject;
  readonly schema: Schema;
  /** The version of the request: `apps/v1`. */
  readonly version: string;
  /** '' is written as `unknown`. */
  readonly manager: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly resetFields?: ResetFields | undefined;
  readonly now: Date;
  /** Of objects so large that each part takes long: asked for between the parts. */
  readonly pause?: Pause | undefined;
}

/** Not an identity that a manager can have. */
const current = 'current-operation';

/** Managers after the change from `before` to the new object; the writer's entry is made or grows by what it changed. */
export function* updatedManagers(input: TrackUpdate, before: KubeObject, managers: Managers): Steps<Managers> {
  const { schema, version, subresource } = input;
  const filter = filterOf(input.resetFields);
  const after = withoutManagedFields(input.next);
  const identity = {
    manager: input.manager === '' ? 'unknown' : input.manager,
    operation: 'Update' as const,
    apiVersion: version,
    subresource,
  };
  const id = managerId(identity);
  const asOwner = (set: FieldSet): Manager => ({
    manager: identity.manager,
    operation: identity.operation,
    apiVersion: version,
    subresource,
    time: formatTime(input.now),
    set,
  });
  if (managers.size === 0 && before === emptyObject(schema)) {
    const set = newFields(after, schema, filter);
    return isEmptySet(set) ? managers : new Map([[id, asOwner(set)]]);
  }
  const started = yield* reconciled({ object: before, schema }, version, managers);
  if (input.pause) yield input.pause;
  const change = { before, after, schema, version, self: current, writer: id, filter, pause: input.pause };
  const { managers: others, comparison } = yield* changeOwners(change, started);
  if (input.pause) yield input.pause;
  if (isUnchanged(comparison)) return others;
  const taken = trackable(comparison.written);
  if (input.pause) yield input.pause;
  if (isEmptySet(taken)) return capUpdaters(others);
  const previous = others.get(id);
  const set = previous ? union(previous.set, taken) : taken; // the very set when nothing is new in it
  return capUpdaters(new Map(others).set(id, asOwner(set)));
}

function* steps(input: TrackUpdate): Steps<ManagedFieldsEntry[] | undefined> {
  const { live, next, schema, subresource } = input;
  const managers = managersOf(live, next, subresource);
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
 * Returns what metadata.managedFields must be when `next` is stored; undefined when nothing is tracked. It is the very array of
 * `live` when ownership did not change. `convert` is asked only for versions other than that of the request.
 * as apimachinery/pkg/util/managedfields FieldManager.Update
 */
export function trackUpdate(input: TrackUpdate, convert?: Convert): ManagedFieldsEntry[] | undefined {
  return run(steps(input), convert);
}

/** `trackUpdate` where conversion takes a webhook. */
export function trackUpdateAsync(input: TrackUpdate, convert: ConvertAsync): Promise<ManagedFieldsEntry[] | undefined> {
  return runAsync(steps(input), convert);
}
