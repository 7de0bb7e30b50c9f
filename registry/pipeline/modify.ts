import type { KubeObject } from '../../apimachinery/interface.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { uintError } from '../../apimachinery/meta/resource-version.js';
import { conflict, invalid, notFound, plainError, uidPreconditionText } from '../../apimachinery/errors/status.js';
import { refuseLargeObject } from '../../apimachinery/meta/values.js';
import { withoutManagedFields } from '../../apimachinery/patch/empty-object.js';
import type { Pause } from '../../apimachinery/patch/versions.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { ResourceDefinition } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { type UpdateRules, checkName, conformChange, settleNamespace } from './conform.js';
import { objectOf } from './stored/converted.js';
import { type Parts, resourceOf, strategyContext, actionCall } from './context.js';
import { interpret, withoutManagedFieldsIfTooLarge } from './errors.js';
import { admit, finishNew, mutate } from './finish.js';
import { type Reservation, reserve } from './reservation.js';
import { type Decision, type Result, guaranteedUpdate } from './stored/guaranteed-update.js';
import type { Answer, RequestScope, Stored, WriteParameters } from './interface.js';
import { keyOf } from './stored/keys.js';
import { keepManagedFieldsTimes } from './ownership.js';
import { answerOf, convertStored } from './answers.js';
import { noteSize, pauseOf } from './pause.js';
import { sizeOf } from './stored/stored.js';
import { toRequestedVersion, toStorageVersion, storageRoundTrip, toInternalVersion } from './stored/versions.js';

/** How a request changes an object. */
export interface Change {
  /** May it create what is missing, whatever the kind says (apply)? */
  readonly creates: boolean;
  /** The uid that the object must have. */
  readonly uid?: string | undefined;
  /**
   * The new state in the version of the call, complete and with its managed fields, from the one that stands there (shared; undefined:
   * none). Called again when somebody else was quicker.
   */
  build(live: KubeObject | undefined, pause?: Pause): KubeObject | Promise<KubeObject>;
  /** Where whole numbers of what `build` made last are floats; absent: those of the request. */
  floats?: Floats | undefined;
  /** What admission sees of the object; `build` has let it change that already. Absent: the object itself. */
  seen?(object: KubeObject): KubeObject;
}

export interface Modified {
  readonly answer: Answer;
  readonly created: boolean;
}

/** One change of one object. */
interface Run {
  readonly parts: Parts;
  readonly call: RequestScope;
  readonly name: string;
  readonly key: string;
  readonly rules: UpdateRules;
  readonly change: Change;
  readonly write: WriteParameters;
  /** The object was too large with its managed fields: it goes without. */
  readonly unmanaged: boolean;
  /** The change is not a client's: the action admitted what was asked of it. */
  readonly inner: boolean;
  readonly taken: Reservation | undefined;
}

/** PUT and PATCH of an object or one of its parts. */
// as apiserver/pkg/registry/generic/registry Store.Update
export async function modify(
  parts: Parts,
  call: RequestScope,
  name: string,
  change: Change,
  write: WriteParameters,
): Promise<Modified> {
  const key = keyOf(call.definition, call.namespace, name);
  const store = parts.stores.of(call.definition);
  const rules = rulesOf(call);
  const inner = isActions(call);
  const taken = reserve(parts, call, write);
  let result: Result;
  try {
    result = await withoutManagedFieldsIfTooLarge(
      unmanaged => {
        const run: Run = { parts, call, name, key, rules, change, write, unmanaged, inner, taken };
        return guaranteedUpdate(store, key, old => decide(run, old));
      },
      error => interpret(error, resourceOf(call), 'update'),
    );
    if (taken) await taken.settle(result.type === 'written' || result.type === 'left');
    if (result.type === 'removed')
      await call.definition.strategy.removed?.(result.last.object, actionCall(parts, call, write));
  } finally {
    if (taken) await taken.settle(false);
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

/** Does an action write its object? */
export function isActions(call: RequestScope): boolean {
  return subresourceOf(call)?.type === 'action';
}

/** Of the resource itself or of one of its parts. */
function rulesOf(call: RequestScope): UpdateRules {
  const { definition, subresource } = call;
  const part = subresourceOf(call);
  if (subresource === '' || part?.type === 'scale') return definition.strategy;
  if (part?.type === 'action' && part.rules) return part.rules;
  if (part?.type !== 'part') throw new Error(`${definition.plural}/${subresource} is no part of the object`);
  return part;
}

// hot: waits only for what is not there
async function decide(run: Run, stored: Stored | undefined): Promise<Decision> {
  const { call, change, parts, write } = run;
  const { strategy, rules } = call.definition;
  if (stored) noteSize(call, sizeOf(stored));
  const pause = pauseOf(call);
  if (pause) await pause();
  const converting = stored && convertStored(call, stored);
  const live = converting instanceof Promise ? await converting : converting;
  if (pause) await pause();
  const uid = live?.metadata.uid ?? '';
  if (change.uid !== undefined && change.uid !== uid)
    throw conflict(resourceOf(call), run.name, uidPreconditionText(run.key, change.uid, uid));
  if (!live && !change.creates && !(strategy.createOnUpdate && call.subresource === ''))
    throw notFound(resourceOf(call), run.name);
  const building = change.build(live, pause);
  const built = building instanceof Promise ? await building : building;
  if (pause) {
    await pause();
    refuseLargeObject(withoutManagedFields(built));
    await pause();
  }
  settleNamespace(call, built.metadata);
  checkName(built.metadata, run.name);
  const ruled = toInternalVersion(call, built);
  const draft = ruled instanceof Promise ? await ruled : ruled;
  const standing = rules === 'spoken' ? live : stored && objectOf(call.definition, stored);
  const before = standing instanceof Promise ? await standing : standing;
  checkNumeral(draft.metadata.resourceVersion);
  const mutating = change.seen || run.inner ? write : mutate(parts, call, draft, before, run.name, write);
  const mutated = mutating instanceof Promise ? await mutating : mutating;
  // Admission may have made the object large.
  const pauseAfter = pauseOf(call);
  if (pauseAfter) await pauseAfter();
  if (run.unmanaged) delete draft.metadata.managedFields;
  const floats = mutated === write ? change.floats : mutated.floats;
  const deciding = before
    ? decideChange(run, draft, before, floats, pauseAfter)
    : decideNew({ ...run, write: mutated }, draft);
  return pauseAfter ? deciding.then(decision => pauseAfter().then(() => decision)) : deciding;
}

async function decideNew({ parts, call, name, write, taken }: Run, draft: KubeObject): Promise<Decision> {
  // The version of what is missing does not matter.
  delete draft.metadata.resourceVersion;
  await finishNew(parts, call, draft, name, write, taken, () => call.authorize('create'));
  if (write.dryRun) return { type: 'answer', object: await storageRoundTrip(call, draft), outcome: 'created' };
  return written(call, draft);
}

function written(call: RequestScope, judged: KubeObject): Maybe<Decision> {
  const ttlSeconds = call.definition.ttlSeconds?.(judged);
  return andThen(toStorageVersion(call, judged), ({ draft, lacking }) => ({
    type: 'write',
    draft,
    lacking,
    ttlSeconds,
  }));
}

async function decideChange(
  run: Run,
  draft: KubeObject,
  old: KubeObject,
  floats: Floats | undefined,
  pause: Pause | undefined,
): Promise<Decision> {
  const { parts, call, write } = run;
  checkVersion(run, draft, old);
  if (run.taken) await run.taken.begin(draft, old);
  const context = strategyContext(parts, call, 'update', write, floats);
  // Admission may have moved it.
  settleNamespace(call, draft.metadata);
  const conforming = conformChange(call.definition, run.rules, draft, old, context, pause);
  if (conforming) await conforming;
  if (pause) await pause();
  keepManagedFieldsTimes(call.definition, draft, old);
  const seen = run.change.seen ?? (object => object);
  const admitting = run.inner ? undefined : admit(parts, call, seen(draft), seen(old), run.name, write);
  if (admitting) await admitting;
  if (pause) await pause();
  if (write.dryRun) return { type: 'answer', object: await storageRoundTrip(call, draft), outcome: 'changed' };
  if (isFinalized(call.definition, draft, old)) return { type: 'remove', object: draft };
  return written(call, draft);
}

/** Throws the 500 that upstream gives. */
function checkNumeral(resourceVersion: string | undefined): void {
  const wrong = resourceVersion ? uintError(resourceVersion) : undefined;
  if (wrong !== undefined) throw plainError(wrong);
}

/** The draft gets the version that stands there, or does not fit it: 409, or 422 when it must name one. */
function checkVersion({ call, name }: Run, draft: KubeObject, old: KubeObject): void {
  const stands = old.metadata.resourceVersion ?? '';
  const given = draft.metadata.resourceVersion ?? '';
  const unconditional = Number(given) === 0;
  if (unconditional && call.definition.strategy.unconditionalUpdate) {
    draft.metadata.resourceVersion = stands;
    return;
  }
  if (unconditional) {
    const fault = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    // The plural where the Kind belongs is upstream's.
    throw invalid({ group: call.definition.group, kind: call.definition.plural }, name, [fault]);
  }
  if (Number(given) !== Number(stands)) throw conflict(resourceOf(call), name);
}

/** Has this change taken away the last thing that kept a terminating object? */
// as apiserver/pkg/registry/generic/registry ShouldDeleteDuringUpdate
function isFinalized({ strategy }: ResourceDefinition, draft: KubeObject, old: KubeObject): boolean {
  if ((draft.metadata.finalizers?.length ?? 0) > 0 || old.metadata.deletionTimestamp === undefined) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0 && !strategy.held?.(draft);
}
