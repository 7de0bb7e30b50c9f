import type { KubeObject } from '../../apimachinery/interface.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { uintError } from '../../apimachinery/meta/resource-version.js';
import { conflict, invalid, notFound, plainError, uidPreconditionText } from '../../apimachinery/errors/status.js';
import { refuseLargeObject } from '../../apimachinery/meta/values.js';
import { withoutManagedFields } from '../../apimachinery/patch/empty-object.js';
import type { Pause } from '../../apimachinery/patch/patch-steps.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { ResourceDefinition } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { type UpdateRules, checkName, conformChange, settleNamespace } from './conform.js';
import { currentObject } from './stored/converted.js';
import { type PipelineDeps, type WriteTarget, strategyContext, actionCall } from './context.js';
import { interpretStorageError, withoutManagedFieldsIfTooLarge } from './errors.js';
import { type Creation, admit, finishNew, mutate } from './finish.js';
import { type Reservation, reserve } from './reservation.js';
import { type UpdateDecision, type Result, guaranteedUpdate } from './stored/guaranteed-update.js';
import type { ObjectAnswer, RequestScope, WriteParameters } from './interface.js';
import { storageKey } from './stored/keys.js';
import { keepManagedFieldsTimes } from './ownership.js';
import { answerOf, convertStored } from './answers.js';
import { noteSize, pauseOf } from './pause.js';
import type { StoredVersion } from './stored/stored-version.js';
import { toRequestedVersion, toStorageVersion, storageRoundTrip, toInternalVersion } from './stored/versions.js';
import { groupResourceOf } from '../group-resource.js';

/** How a request changes an object. */
export interface Modification {
  /** Creates a missing object, even if the kind has no create on update (apply). */
  readonly creates: boolean;
  /** The uid that the object must have. */
  readonly uid?: string | undefined;
  /**
   * Returns the new object in the requested version, with defaults and managedFields, from the current one, which is shared (undefined if
   * there is none). Called again after a conflict.
   */
  build(live: KubeObject | undefined, pause?: Pause): Maybe<KubeObject>;
  /** Paths of integral floats in the last result of `build`; those of the request if absent. */
  floats?: Floats | undefined;
  /** Returns the form of the object for admission, which `build` has mutated already; the object itself if absent. */
  readonly admissionView?: (object: KubeObject) => KubeObject;
}

export interface Modified {
  readonly answer: ObjectAnswer;
  readonly created: boolean;
}

/** One change of one object. */
interface Run {
  readonly deps: PipelineDeps;
  readonly call: RequestScope;
  readonly name: string;
  readonly key: string;
  readonly rules: UpdateRules;
  readonly change: Modification;
  readonly write: WriteParameters;
  /** The object was too large for the store, and is written without managedFields. */
  readonly dropManagedFields: boolean;
  /** The write is that of an action, whose input has passed admission. */
  readonly byAction: boolean;
  readonly reservation: Reservation | undefined;
}

/** Handles PUT and PATCH of an object or a subresource. */
// as apiserver/pkg/registry/generic/registry Store.Update
export async function modify(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  change: Modification,
  write: WriteParameters,
): Promise<Modified> {
  const key = storageKey(call.definition, call.namespace, name);
  const store = deps.stores.of(call.definition);
  const rules = rulesOf(call);
  const byAction = isActionWrite(call);
  const reservation = reserve(deps, call, write);
  let result: Result;
  try {
    result = await withoutManagedFieldsIfTooLarge(
      dropManagedFields => {
        const run: Run = { deps, call, name, key, rules, change, write, dropManagedFields, byAction, reservation };
        return guaranteedUpdate(store, key, old => decide(run, old));
      },
      error => interpretStorageError(error, groupResourceOf(call), 'update'),
    );
    if (reservation) await reservation.settle(result.type === 'written' || result.type === 'left');
    if (result.type === 'removed')
      await call.definition.strategy.afterDelete?.(result.last.object, actionCall(deps, call, write));
  } finally {
    if (reservation) await reservation.settle(false);
  }
  switch (result.type) {
    case 'written':
    case 'left': {
      const answering = answerOf(call, result.stored);
      const answer = answering instanceof Promise ? await answering : answering;
      return { answer, created: result.type === 'written' && result.created };
    }
    case 'answer':
      return {
        answer: { object: await toRequestedVersion(call, result.object) },
        created: result.outcome === 'created',
      };
    case 'removed':
      return {
        answer: { object: await toRequestedVersion(call, result.object ?? result.last.object) },
        created: false,
      };
  }
}

/** Reports whether an action writes its object. */
export function isActionWrite(call: RequestScope): boolean {
  return subresourceOf(call)?.type === 'action';
}

/** Returns the rules of the resource itself, or of a subresource. */
function rulesOf(call: RequestScope): UpdateRules {
  const { definition, subresource } = call;
  const part = subresourceOf(call);
  if (subresource === '' || part?.type === 'scale') return definition.strategy;
  if (part?.type === 'action' && part.rules) return part.rules;
  if (part?.type !== 'part') throw new Error(`${definition.plural}/${subresource} is no part of the object`);
  return part;
}

// hot: available values are not awaited
async function decide(run: Run, stored: StoredVersion | undefined): Promise<UpdateDecision> {
  const { call, change, deps, write } = run;
  const { strategy, rulesVersion } = call.definition;
  if (stored) noteSize(call, stored.heldBytes);
  const pause = pauseOf(call);
  if (pause) await pause();
  const converting = stored && convertStored(call, stored);
  const live = converting instanceof Promise ? await converting : converting;
  if (pause) await pause();
  const uid = live?.metadata.uid ?? '';
  if (change.uid !== undefined && change.uid !== uid)
    throw conflict(groupResourceOf(call), run.name, uidPreconditionText(run.key, change.uid, uid));
  if (!live && !change.creates && !(strategy.createOnUpdate && call.subresource === ''))
    throw notFound(groupResourceOf(call), run.name);
  const building = change.build(live, pause);
  const built = building instanceof Promise ? await building : building;
  if (pause) {
    await pause();
    refuseLargeObject(withoutManagedFields(built));
    await pause();
  }
  settleNamespace(call, built.metadata);
  checkName(built.metadata, run.name);
  const convertingDraft = toInternalVersion(call, built);
  const draft = convertingDraft instanceof Promise ? await convertingDraft : convertingDraft;
  const convertingOld = rulesVersion === 'requested' ? live : stored && currentObject(call.definition, stored);
  const old = convertingOld instanceof Promise ? await convertingOld : convertingOld;
  checkNumeral(draft.metadata.resourceVersion);
  const target = { name: run.name, object: draft, old };
  const mutating = change.admissionView || run.byAction ? write : mutate(deps, call, target, write);
  const mutated = mutating instanceof Promise ? await mutating : mutating;
  // Admission may have made the object large.
  const pauseAfter = pauseOf(call);
  if (pauseAfter) await pauseAfter();
  if (run.dropManagedFields) delete draft.metadata.managedFields;
  const floats = mutated === write ? change.floats : mutated.floats;
  const deciding = isUpdate(target)
    ? decideChange(run, target, floats, pauseAfter)
    : decideNew(run, { name: run.name, object: draft, old: undefined }, mutated);
  return pauseAfter ? deciding.then(decision => pauseAfter().then(() => decision)) : deciding;
}

/** An update of an existing object. */
interface UpdateTarget extends WriteTarget {
  readonly object: KubeObject;
  readonly old: KubeObject;
}

const isUpdate = (target: WriteTarget): target is UpdateTarget => target.old !== undefined;

async function decideNew(
  { deps, call, reservation }: Run,
  creation: Creation,
  write: WriteParameters,
): Promise<UpdateDecision> {
  const { object: draft } = creation;
  // The resourceVersion does not matter if there is no object.
  delete draft.metadata.resourceVersion;
  await finishNew(deps, call, creation, write, { reservation, authorize: () => call.authorize('create') });
  if (write.dryRun) return { type: 'answer', object: await storageRoundTrip(call, draft), outcome: 'created' };
  return written(call, draft);
}

function written(call: RequestScope, object: KubeObject): Maybe<UpdateDecision> {
  const { ttlSeconds, updateDelayMs: maxDelayMs } = call.definition;
  const put = {
    ...(ttlSeconds && { ttlSeconds: ttlSeconds(object) }),
    ...(maxDelayMs !== undefined && { maxDelayMs }),
  };
  return andThen(toStorageVersion(call, object), ({ draft, incomplete }) => ({
    type: 'write',
    draft,
    incomplete,
    put,
    // A conversion may have made the object large.
    isLarge: incomplete || pauseOf(call) !== undefined,
  }));
}

async function decideChange(
  run: Run,
  target: UpdateTarget,
  floats: Floats | undefined,
  pause: Pause | undefined,
): Promise<UpdateDecision> {
  const { deps, call, write } = run;
  const { object: draft, old } = target;
  checkVersion(run, draft, old);
  if (run.reservation) await run.reservation.begin(draft, old);
  const context = strategyContext(deps, call, 'update', write, floats);
  // Admission may have changed the namespace.
  settleNamespace(call, draft.metadata);
  const conforming = conformChange(call.definition, run.rules, { draft, old, context }, pause);
  if (conforming) await conforming;
  if (pause) await pause();
  const keeping = keepManagedFieldsTimes(call, draft, old);
  if (keeping) await keeping;
  const admitting = run.byAction ? undefined : admit(deps, call, viewed(run.change, target), write);
  if (admitting) await admitting;
  if (pause) await pause();
  if (write.dryRun) return { type: 'answer', object: await storageRoundTrip(call, draft), outcome: 'changed' };
  if (isFinalized(call.definition, draft, old)) return { type: 'remove', object: draft };
  return written(call, draft);
}

/** Returns the target as admission sees it. */
const viewed = ({ admissionView }: Modification, target: UpdateTarget): WriteTarget =>
  admissionView ? { name: target.name, object: admissionView(target.object), old: admissionView(target.old) } : target;

/** Throws upstream's 500 if the resourceVersion is not a number. */
function checkNumeral(resourceVersion: string | undefined): void {
  const wrong = resourceVersion ? uintError(resourceVersion) : undefined;
  if (wrong !== undefined) throw plainError(wrong);
}

/** Checks the resourceVersion of the draft; sets the current one if it has none. Throws 409, or 422 if the kind requires one. */
function checkVersion({ call, name }: Run, draft: KubeObject, old: KubeObject): void {
  const current = old.metadata.resourceVersion ?? '';
  const expected = draft.metadata.resourceVersion ?? '';
  const unconditional = Number(expected) === 0;
  if (unconditional && call.definition.strategy.unconditionalUpdate) {
    draft.metadata.resourceVersion = current;
    return;
  }
  if (unconditional) {
    const fault = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    // Upstream uses the plural as the kind here, too.
    throw invalid({ group: call.definition.group, kind: call.definition.plural }, name, [fault]);
  }
  if (Number(expected) !== Number(current)) throw conflict(groupResourceOf(call), name);
}

/** Reports whether the change has removed the last finalizer of a terminating object. */
// as apiserver/pkg/registry/generic/registry ShouldDeleteDuringUpdate
function isFinalized({ strategy }: ResourceDefinition, draft: KubeObject, old: KubeObject): boolean {
  if ((draft.metadata.finalizers?.length ?? 0) > 0 || old.metadata.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 && !strategy.blocksDeletion?.(draft);
}
