import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { atOnce, inTimeSlices } from '../../lib/time-slice.js';
import { generateName } from '../../lib/random.js';
import { uintError } from '../../apimachinery/meta/resource-version.js';
import {
  alreadyExists,
  alreadyExistsDeleting,
  generateNameConflict,
  isAlreadyExists,
  resourceVersionOnCreate,
} from '../../apimachinery/errors/status.js';
import { checkName, settleNamespace, wipeSystemFields } from './conform.js';
import { type PipelineDeps, actionCall } from './context.js';
import { interpretStorageError, withoutManagedFieldsIfTooLarge } from './errors.js';
import { type Creation, finishNew, mutate } from './finish.js';
import { inOrderSteps } from './in-order.js';
import type { ObjectAnswer, RequestScope, Stored, WriteParameters } from './interface.js';
import { storageKey } from './stored/keys.js';
import { loadedObject } from './stored/loaded.js';
import { ownUpdate } from './ownership.js';
import { pauseOf, stepsOf } from './pause.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import type { ResourceStore } from './stored/resource-stores.js';
import { type Reservation, reserve } from './reservation.js';
import { completeDraft } from './decode.js';
import { answerOf } from './answers.js';
import { toRequestedVersion, toStorageVersion, storageRoundTrip, toInternalVersion } from './stored/versions.js';
import { groupResourceOf } from '../group-resource.js';

/** Maximum number of generated names that a create tries. */
const generateNameAttempts = 8;

/** One creation, after mutating admission. */
interface Run {
  readonly deps: PipelineDeps;
  readonly call: RequestScope;
  readonly store: ResourceStore;
  readonly write: WriteParameters;
}

/** Creates an object. `object` is decoded and in the requested version; the caller must not use it afterwards. */
export async function create(
  deps: PipelineDeps,
  call: RequestScope,
  object: KubeObject,
  write: WriteParameters,
  name: string,
): Promise<ObjectAnswer> {
  const { definition } = call;
  const pause = pauseOf(call);
  if (pause) await pause();
  const preparing = prepared(deps, call, object, name);
  const draft = preparing instanceof Promise ? await preparing : preparing;
  const creation: Creation = { name: draft.metadata.name ?? '', object: draft, old: undefined };
  const mutating = mutate(deps, call, creation, write);
  const mutated = mutating instanceof Promise ? await mutating : mutating;
  // Admission may have made the object large.
  const pauseAfter = pauseOf(call);
  if (pauseAfter) await pauseAfter();
  if (definition.review) {
    const answer = await definition.review(actionCall(deps, call, write), draft);
    return { object: await stepsOf(call, inOrderSteps(answer)) };
  }
  const run: Run = { deps, call, store: deps.stores.of(definition), write: mutated };
  if (draft.metadata.name || !draft.metadata.generateName) return await attempt(run, creation);
  for (let tries = 1; ; tries++) {
    const next = tries < generateNameAttempts ? cloneJson(draft) : draft;
    next.metadata.name = generateName(next.metadata.generateName ?? '', deps.random);
    try {
      return await attempt(run, { ...creation, object: next });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (tries === generateNameAttempts) throw generateNameConflict(groupResourceOf(call), next.metadata.name);
    }
  }
}

/** Returns the draft with defaults and managedFields, in the version of the rules. */
function prepared(deps: PipelineDeps, call: RequestScope, object: KubeObject, name: string): Maybe<KubeObject> {
  const { metadata } = object;
  wipeSystemFields(metadata);
  settleNamespace(call, metadata);
  if (name !== '') {
    metadata.name ||= name;
    checkName(metadata, name);
  }
  const duplicates = dedupOwners(object);
  if (duplicates !== '') call.warn(ownersWarning(duplicates));
  const tracking = andThen(completeDraft(call, object), complete => {
    const pause = pauseOf(call);
    return andThen(pause?.(), () => ownUpdate(deps, call, undefined, complete, pause));
  });
  return andThen(tracking, tracked => toInternalVersion(call, tracked));
}

function attempt(run: Run, creation: Creation): Promise<ObjectAnswer> {
  return withoutManagedFieldsIfTooLarge(
    dropManagedFields => {
      if (dropManagedFields) delete creation.object.metadata.managedFields;
      return commit(run, creation);
    },
    error => interpretStorageError(error, groupResourceOf(run.call), 'create'),
  );
}

function commit(run: Run, creation: Creation): Promise<ObjectAnswer> {
  const reservation = reserve(run.deps, run.call, run.write);
  return reservation ? commitReserved(run, creation, reservation) : put(run, creation);
}

async function commitReserved(run: Run, creation: Creation, reservation: Reservation): Promise<ObjectAnswer> {
  try {
    const answer = await put(run, creation, reservation);
    await reservation.settle(!run.write.dryRun);
    return answer;
  } finally {
    await reservation.settle(false);
  }
}

// hot: available values are not awaited
async function put(
  { deps, call, store, write }: Run,
  creation: Creation,
  reservation?: Reservation,
): Promise<ObjectAnswer> {
  const { object: draft } = creation;
  const finishing = finishNew(deps, call, creation, write, reservation && { reservation });
  if (finishing) await finishing;
  const pause = pauseOf(call);
  if (pause) await pause();
  const { definition } = call;
  const name = draft.metadata.name ?? '';
  const key = storageKey(definition, call.namespace, name);
  if (write.dryRun) {
    const existing = await store.cache.get(key);
    if (existing) throw await existsError(call, name, existing.value);
    return { object: await toRequestedVersion(call, await storageRoundTrip(call, draft)) };
  }
  // A resourceVersion that is not a number counts as absent, and is not stored. as apiserver/pkg/storage/etcd3 store.Create
  const { resourceVersion } = draft.metadata;
  if (resourceVersion && uintError(resourceVersion) === undefined && Number(resourceVersion) !== 0)
    throw resourceVersionOnCreate();
  const ttlSeconds = definition.ttlSeconds?.(draft);
  const options = ttlSeconds === undefined ? {} : { ttlSeconds };
  const converting = toStorageVersion(call, draft);
  const { draft: written, incomplete } = converting instanceof Promise ? await converting : converting;
  const encoding = store.codec.draftSteps(key, written, incomplete);
  // A conversion may have made the object large.
  const encoded = pause || incomplete ? await inTimeSlices(encoding) : atOnce(encoding);
  const outcome = await store.cache.put(key, 'absent', encoded, options);
  if (outcome.type === 'done') return answerOf(call, outcome.item.value);
  throw await existsError(call, name, outcome.current?.value);
}

/** Returns the 409 for a name that `existing` has. */
async function existsError(call: RequestScope, name: string, existing: Stored | undefined): Promise<Error> {
  const object = existing && (await loadedObject(existing));
  const terminating = object?.metadata.deletionTimestamp !== undefined;
  return (terminating ? alreadyExistsDeleting : alreadyExists)(groupResourceOf(call), name);
}
