import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
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
import type { DeleteOptions } from '../../client/interface.js';
import type { Strategy } from '../interface.js';
import { foregroundFinalizer, orphanFinalizer } from '../strategy/metadata.js';
import { renew } from './stored/converted.js';
import { type Parts, resourceOf, strategyContext, actionCall } from './context.js';
import { interpret } from './errors.js';
import { admit, mutate } from './finish.js';
import { type Decision, guaranteedUpdate } from './stored/guaranteed-update.js';
import type { Answer, RequestScope, Stored, WriteParameters } from './interface.js';
import { keyOf } from './stored/keys.js';
import { atRevision } from './stored/stored.js';
import { answerOf } from './answers.js';
import { toRequestedVersion } from './stored/versions.js';

export interface Removed {
  readonly answer: Answer;
  readonly removed: boolean;
}

/** One deletion. */
interface Run {
  readonly parts: Parts;
  readonly call: RequestScope;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly write: WriteParameters;
  /** The object was told that its grace is over: now it goes. */
  readonly told: boolean;
}

/** DELETE of one object. Throws 403 for those that the kind keeps. */
export async function removeOne(...[parts, call, name, options, write]: Parameters<typeof remove>): Promise<Removed> {
  const text = call.definition.strategy.undeletable?.(name);
  if (text !== undefined) throw forbidden(resourceOf(call), name, text);
  return remove(parts, call, name, options, write);
}

/** Deletes an object, or marks it as terminating. */
// as apiserver/pkg/registry/generic/registry Store.Delete
export async function remove(
  parts: Parts,
  call: RequestScope,
  name: string,
  options: DeleteOptions,
  write: WriteParameters,
): Promise<Removed> {
  const { definition } = call;
  const { deleteWarning } = definition.strategy;
  if (deleteWarning !== undefined && options.propagationPolicy === undefined) call.warn(deleteWarning);
  const key = keyOf(definition, call.namespace, name);
  const store = parts.stores.of(definition);
  let run: Run = { parts, call, name, options, write, told: false };
  try {
    for (;;) {
      const result = await guaranteedUpdate(store, key, old => decide(run, old));
      if (result.type === 'removed') {
        await definition.strategy.removed?.(result.last.object, actionCall(parts, call, write));
        return { answer: await gone(call, result.last, result.revision), removed: true };
      }
      if (result.type === 'answer') return await foretold(call, result);
      const goesNow = result.type === 'written' && !definition.strategy.terminate && isOver(result.stored.object);
      if (!goesNow) return { answer: await answerOf(call, result.stored), removed: false };
      run = { ...run, told: true };
    }
  } catch (error) {
    throw interpret(error, resourceOf(call), 'delete');
  }
}

/**
 * Without grace left, and kept by nobody: what is deleted gracefully at once is marked first, and what the collector kept is let go of
 * first, so that watchers see it.
 */
function isOver({ metadata }: KubeObject): boolean {
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0 && (metadata.finalizers?.length ?? 0) === 0;
}

async function gone(call: RequestScope, last: Stored, revision: Stored['revision']): Promise<Answer> {
  if (call.definition.strategy.returnsDeleted) return answerOf(call, atRevision(last, revision));
  return { object: successOf(call, last.object) };
}

async function foretold(
  call: RequestScope,
  { object, outcome }: Extract<Decision, { type: 'answer' }>,
): Promise<Removed> {
  const removed = outcome === 'removed';
  if (removed && !call.definition.strategy.returnsDeleted)
    return { answer: { object: successOf(call, object) }, removed };
  return { answer: { object: await toRequestedVersion(call, object) }, removed };
}

function successOf(call: RequestScope, { metadata }: KubeObject): KubeObject {
  return success(resourceOf(call), metadata.name ?? '', metadata.uid) as unknown as KubeObject;
}

async function decide(run: Run, old: Stored | undefined): Promise<Decision> {
  const { parts, call, options, write } = run;
  if (!old) throw notFound(resourceOf(call), run.name);
  const { object } = await renew(call.definition, old);
  checkPreconditions(run, object);
  const { strategy } = call.definition;
  if (
    strategy.terminate
      ? object.metadata.deletionTimestamp !== undefined && strategy.held?.(object)
      : !run.told && isPending(strategy, object, options)
  )
    return { type: 'leave' };
  if (!run.told) {
    await mutate(parts, call, undefined, object, run.name, write);
    await admit(parts, call, undefined, object, run.name, write);
  }
  const decision = decided(run, object);
  if (!write.dryRun || decision.type === 'leave') return decision;
  if (decision.type === 'write') return { type: 'answer', object: decision.draft, outcome: 'changed' };
  return { type: 'answer', object, outcome: 'removed' };
}

function checkPreconditions({ call, name, options, told }: Run, { metadata }: KubeObject): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  // Kinds that are only marked at first have words of their own. as pkg/registry/core/namespace/storage Delete
  const refuse = (field: 'UID' | 'ResourceVersion', wanted: string, found = ''): void => {
    if (!call.definition.strategy.terminate || wanted === found) return;
    const text = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
    throw conflict(resourceOf(call), name, text);
  };
  if (uid !== undefined) refuse('UID', uid, metadata.uid);
  if (resourceVersion !== undefined && !told) refuse('ResourceVersion', resourceVersion, metadata.resourceVersion);
  const resource = { group: call.definition.group, resource: call.definition.kind };
  if (uid !== undefined && uid !== metadata.uid) throw conflict(resource, name, deleteUidText(uid, metadata.uid ?? ''));
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion && !told)
    throw conflict(resource, name, deleteVersionText(resourceVersion, metadata.resourceVersion ?? ''));
}

/** Is it being deleted gracefully already, and not to be any sooner? Then nothing about it changes, its finalizers neither. */
function isPending(strategy: Strategy, { metadata }: KubeObject, { gracePeriodSeconds }: DeleteOptions): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = metadata;
  if (!strategy.gracePeriod || deletionTimestamp === undefined || left === undefined) return false;
  return gracePeriodSeconds === undefined || atLeastOne(gracePeriodSeconds) >= left;
}

/** Negative seconds of grace count as one. */
const atLeastOne = (seconds: Int64): Int64 => (seconds < 0 ? 1 : seconds);

function decided(run: Run, object: KubeObject): Exclude<Decision, { type: 'answer' }> {
  const { parts, call, options, write } = run;
  const { strategy } = call.definition;
  const draft = { ...object, metadata: { ...object.metadata } };
  const finalizers = collectorFinalizers(strategy, object, options);
  if (finalizers.length > 0) draft.metadata.finalizers = finalizers;
  else delete draft.metadata.finalizers;
  if (strategy.terminate && object.metadata.deletionTimestamp === undefined) {
    const whole = cloneJson(draft);
    whole.metadata.deletionTimestamp = formatTime(parts.now());
    strategy.terminate(whole, object, strategyContext(parts, call, 'delete', write));
    return { type: 'write', draft: whole };
  }
  if (grace(strategy, draft, object, options, parts.now())) return { type: 'write', draft };
  if (finalizers.length === 0)
    return (object.metadata.finalizers ?? []).length > 0 ? { type: 'write', draft } : { type: 'remove' };
  markDeleting(draft, object, parts.now());
  return { type: 'write', draft };
}

/** Starts or shortens the grace of a kind that has one, in place; false when the object goes without. */
// as apiserver/pkg/registry/rest BeforeDelete
function grace(
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
  // The whole grace is over already: one second, so that it is still the node that lets the pod go.
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

/** Returns the finalizers that the object is left with: those of the garbage collector follow the policy. */
// as apiserver/pkg/registry/generic/registry deletionFinalizersForGarbageCollection
function collectorFinalizers(strategy: Strategy, { metadata }: KubeObject, options: DeleteOptions): string[] {
  const current = metadata.finalizers ?? [];
  const policy = policyOf(strategy, current, options);
  const wanted = policy === 'Orphan' ? orphanFinalizer : policy === 'Foreground' ? foregroundFinalizer : undefined;
  const isCollectors = (name: string): boolean => name === orphanFinalizer || name === foregroundFinalizer;
  if (wanted !== undefined && current.includes(wanted) && current.every(name => name === wanted || !isCollectors(name)))
    return current;
  const others = current.filter(name => !isCollectors(name));
  return wanted === undefined ? others : [...others, wanted];
}

function policyOf(
  strategy: Strategy,
  finalizers: readonly string[],
  options: DeleteOptions,
): DeleteOptions['propagationPolicy'] {
  if (strategy.defaultPropagation === 'Unsupported') return 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  const standing = finalizers.find(name => name === orphanFinalizer || name === foregroundFinalizer);
  if (standing === undefined) return strategy.defaultPropagation;
  return standing === orphanFinalizer ? 'Orphan' : 'Foreground';
}
