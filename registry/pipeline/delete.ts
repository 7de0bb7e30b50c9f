import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { secondsMs } from '../../lib/go/duration.js';
import type { Int64 } from '../../lib/json/json.js';
import {
  conflict,
  deleteUidText,
  deleteVersionText,
  forbidden,
  notFound,
  success,
} from '../../apimachinery/errors/status.js';
import { formatTime, timeMs } from '../../lib/go/time.js';
import type { Revision } from '../../storage/interface.js';
import type { DeleteOptions } from '../../client/interface.js';
import type { Strategy } from '../interface.js';
import { foregroundFinalizer, orphanFinalizer } from '../strategy/metadata.js';
import { currentObject } from './stored/converted.js';
import { type PipelineDeps, strategyContext, actionCall } from './context.js';
import { interpretStorageError } from './errors.js';
import { admit, mutate } from './finish.js';
import { type UpdateDecision, guaranteedUpdate } from './stored/guaranteed-update.js';
import type { ObjectAnswer, RequestScope, WriteParameters } from './interface.js';
import { noteSize, pauseOf } from './pause.js';
import { storageKey } from './stored/keys.js';
import type { StoredVersion } from './stored/stored-version.js';
import { answerOf } from './answers.js';
import { toRequestedVersion } from './stored/versions.js';
import { groupResourceOf } from '../group-resource.js';

interface Removed {
  readonly answer: ObjectAnswer;
  readonly removed: boolean;
}

/** One deletion. */
interface Run {
  readonly deps: PipelineDeps;
  readonly call: RequestScope;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly write: WriteParameters;
  /** The object has been marked as deleted without grace period, and is removed now. */
  readonly marked: boolean;
}

/** Handles the DELETE of one object. Throws 403 for objects that the kind protects. */
export async function removeOne(...[deps, call, name, options, write]: Parameters<typeof remove>): Promise<Removed> {
  const text = call.definition.strategy.undeletable?.(name);
  if (text !== undefined) throw forbidden(groupResourceOf(call), name, text);
  return remove(deps, call, name, options, write);
}

/** Deletes an object, or marks it as terminating. */
// as apiserver/pkg/registry/generic/registry Store.Delete
export async function remove(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  options: DeleteOptions,
  write: WriteParameters,
): Promise<Removed> {
  const { definition } = call;
  const { deleteWarning } = definition.strategy;
  if (deleteWarning !== undefined && options.propagationPolicy === undefined) call.warn(deleteWarning);
  const key = storageKey(definition, call.namespace, name);
  const store = deps.stores.of(definition);
  let run: Run = { deps, call, name, options, write, marked: false };
  try {
    for (;;) {
      const result = await guaranteedUpdate(store, key, old => decide(run, old));
      if (result.type === 'removed') {
        await definition.strategy.afterDelete?.(result.last.object, actionCall(deps, call, write));
        return { answer: await removedAnswer(call, result.last, result.revision), removed: true };
      }
      if (result.type === 'answer') return await dryRunAnswer(call, result);
      const goesNow = result.type === 'written' && !definition.strategy.terminate && isRemovable(result.stored.object);
      if (!goesNow) return { answer: await answerOf(call, result.stored), removed: false };
      run = { ...run, marked: true };
    }
  } catch (error) {
    throw interpretStorageError(error, groupResourceOf(call), 'delete');
  }
}

/**
 * Reports whether an object has no grace period left and no finalizers. Such an object is first written with its deletionTimestamp, or without
 * the finalizers of the garbage collector, and then removed, so that watchers see both.
 */
function isRemovable({ metadata }: KubeObject): boolean {
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0 && (metadata.finalizers?.length ?? 0) === 0;
}

async function removedAnswer(call: RequestScope, last: StoredVersion, revision: Revision): Promise<ObjectAnswer> {
  if (call.definition.strategy.returnsDeleted) return answerOf(call, last.at(revision));
  return { object: successOf(call, last.object) };
}

async function dryRunAnswer(
  call: RequestScope,
  { object, outcome }: Extract<UpdateDecision, { type: 'answer' }>,
): Promise<Removed> {
  const removed = outcome === 'removed';
  if (removed && !call.definition.strategy.returnsDeleted)
    return { answer: { object: successOf(call, object) }, removed };
  return { answer: { object: await toRequestedVersion(call, object) }, removed };
}

function successOf(call: RequestScope, { metadata }: KubeObject): KubeObject {
  return success(groupResourceOf(call), metadata.name ?? '', metadata.uid);
}

async function decide(run: Run, old: StoredVersion | undefined): Promise<UpdateDecision> {
  const { deps, call, options, write } = run;
  if (!old) throw notFound(groupResourceOf(call), run.name);
  noteSize(call, old.heldBytes);
  const pause = pauseOf(call);
  if (pause) await pause();
  const object = await currentObject(call.definition, old);
  checkPreconditions(run, object);
  const { strategy } = call.definition;
  if (
    strategy.terminate
      ? object.metadata.deletionTimestamp !== undefined && strategy.blocksDeletion?.(object)
      : !run.marked && isPending(strategy, object, options)
  )
    return { type: 'leave' };
  if (!run.marked) {
    const target = { name: run.name, object: undefined, old: object };
    await mutate(deps, call, target, write);
    await admit(deps, call, target, write);
  }
  if (pause) await pause();
  const decision = decided(run, object);
  if (decision.type === 'write' && !write.dryRun) return { ...decision, isLarge: pause !== undefined };
  if (!write.dryRun || decision.type === 'leave') return decision;
  if (decision.type === 'write') return { type: 'answer', object: decision.draft, outcome: 'changed' };
  return { type: 'answer', object, outcome: 'removed' };
}

function checkPreconditions({ call, name, options, marked }: Run, { metadata }: KubeObject): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  // Kinds that are only marked at first have other messages. as pkg/registry/core/namespace/storage Delete
  const refuse = (field: 'UID' | 'ResourceVersion', expected: string, found = ''): void => {
    if (!call.definition.strategy.terminate || expected === found) return;
    const text = `Precondition failed: ${field} in precondition: ${expected}, ${field} in object meta: ${found}`;
    throw conflict(groupResourceOf(call), name, text);
  };
  if (uid !== undefined) refuse('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && !marked) refuse('ResourceVersion', resourceVersion, metadata.resourceVersion);
  const resource = { group: call.definition.group, resource: call.definition.kind };
  if (uid !== undefined && uid !== metadata.uid) throw conflict(resource, name, deleteUidText(uid, metadata.uid ?? ''));
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion && !marked)
    throw conflict(resource, name, deleteVersionText(resourceVersion, metadata.resourceVersion ?? ''));
}

/** Reports whether a graceful deletion is pending that the request does not shorten. Then nothing changes, not even the finalizers. */
function isPending(strategy: Strategy, { metadata }: KubeObject, { gracePeriodSeconds }: DeleteOptions): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = metadata;
  if (!strategy.gracePeriod || deletionTimestamp === undefined || left === undefined) return false;
  return gracePeriodSeconds === undefined || atLeastOne(gracePeriodSeconds) >= left;
}

/** A negative grace period counts as one second. */
const atLeastOne = (seconds: Int64): Int64 => (seconds < 0 ? 1 : seconds);

function decided(run: Run, object: KubeObject): Exclude<UpdateDecision, { type: 'answer' }> {
  const { deps, call, options, write } = run;
  const { strategy } = call.definition;
  const draft = { ...object, metadata: { ...object.metadata } };
  const finalizers = collectorFinalizers(strategy, object, options);
  if (finalizers.length > 0) draft.metadata.finalizers = finalizers;
  else delete draft.metadata.finalizers;
  if (strategy.terminate && object.metadata.deletionTimestamp === undefined) {
    draft.metadata.deletionTimestamp = formatTime(deps.now());
    strategy.terminate(draft, object, strategyContext(deps, call, 'delete', write));
    return { type: 'write', draft };
  }
  if (setGracePeriod(strategy, draft, object, options, deps.now())) return { type: 'write', draft };
  if (finalizers.length === 0)
    return (object.metadata.finalizers ?? []).length > 0 ? { type: 'write', draft } : { type: 'remove' };
  markDeleting(draft, object, deps.now());
  return isUnchanged(draft.metadata, object.metadata) ? { type: 'leave' } : { type: 'write', draft };
}

/** Reports whether the deletion would change nothing. Encoding the object to find that out would cost more than the rest of the request. */
const isUnchanged = (
  draft: ObjectMeta,
  { deletionTimestamp, deletionGracePeriodSeconds, finalizers }: ObjectMeta,
): boolean =>
  draft.deletionTimestamp === deletionTimestamp &&
  draft.deletionGracePeriodSeconds === deletionGracePeriodSeconds &&
  deepEqual(draft.finalizers, finalizers);

/** Starts or shortens the grace period, in place. Returns false if the kind or the request has none, or it is over. */
// as apiserver/pkg/registry/rest BeforeDelete
function setGracePeriod(
  strategy: Strategy,
  draft: KubeObject,
  object: KubeObject,
  options: DeleteOptions,
  now: number,
): boolean {
  if (!strategy.gracePeriod) return false;
  const requested = options.gracePeriodSeconds === undefined ? undefined : atLeastOne(options.gracePeriodSeconds);
  const { metadata } = draft;
  const { deletionTimestamp, deletionGracePeriodSeconds: left = 0 } = object.metadata;
  if (deletionTimestamp === undefined) {
    const seconds = strategy.gracePeriod(object, requested);
    metadata.deletionTimestamp = formatTime(now + secondsMs(seconds));
    metadata.deletionGracePeriodSeconds = seconds;
    if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
    return true;
  }
  if (left === 0 || requested === undefined) return false;
  const end = timeMs(deletionTimestamp) - secondsMs(left) + secondsMs(requested);
  metadata.deletionTimestamp = formatTime(Math.max(end, now));
  // If the new grace period is over already, it is one second, so that the node still removes the pod.
  metadata.deletionGracePeriodSeconds = end < now && requested !== 0 ? 1 : requested;
  return true;
}

/** as apiserver/pkg/registry/generic/registry markAsDeleting */
function markDeleting({ metadata }: KubeObject, object: KubeObject, now: number): void {
  const { deletionTimestamp, generation = 0 } = object.metadata;
  if (deletionTimestamp === undefined && generation > 0) metadata.generation = generation + 1;
  if (deletionTimestamp === undefined || timeMs(deletionTimestamp) > now) metadata.deletionTimestamp = formatTime(now);
  metadata.deletionGracePeriodSeconds = 0;
}

/** Returns the finalizers of the object after the deletion: those of the garbage collector follow the propagation policy. */
// as apiserver/pkg/registry/generic/registry deletionFinalizersForGarbageCollection
function collectorFinalizers(strategy: Strategy, { metadata }: KubeObject, options: DeleteOptions): string[] {
  const current = metadata.finalizers ?? [];
  const policy = policyOf(strategy, current, options);
  const added = policy === 'Orphan' ? orphanFinalizer : policy === 'Foreground' ? foregroundFinalizer : undefined;
  const isCollectors = (name: string): boolean => name === orphanFinalizer || name === foregroundFinalizer;
  if (added !== undefined && current.includes(added) && current.every(name => name === added || !isCollectors(name)))
    return current;
  const others = current.filter(name => !isCollectors(name));
  return added === undefined ? others : [...others, added];
}

function policyOf(
  strategy: Strategy,
  finalizers: readonly string[],
  options: DeleteOptions,
): DeleteOptions['propagationPolicy'] {
  if (strategy.defaultPropagation === 'Unsupported') return 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  const existing = finalizers.find(name => name === orphanFinalizer || name === foregroundFinalizer);
  if (existing === undefined) return strategy.defaultPropagation;
  return existing === orphanFinalizer ? 'Orphan' : 'Foreground';
}
