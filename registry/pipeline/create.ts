import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
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
import { interpret, withoutManagedFieldsIfTooLarge } from './errors.js';
import { type Creation, finishNew, mutate } from './finish.js';
import { inOrder } from './in-order.js';
import type { Answer, RequestScope, Stored, WriteParameters } from './interface.js';
import { storageKey } from './stored/keys.js';
import { ownUpdate } from './ownership.js';
import { pauseOf } from './pause.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import type { ResourceStore } from './stored/resource-stores.js';
import { type Reservation, reserve } from './reservation.js';
import { completeDraft } from './decode.js';
import { answerOf } from './answers.js';
import { toRequestedVersion, toStorageVersion, storageRoundTrip, toInternalVersion } from './stored/versions.js';
import { groupResourceOf } from '../group-resource.js';

/** Maximum number of generated names that a create tries. */
const generateNameAttempts = 8;

/** Creates an object. `object` is decoded and in the requested version; the caller must not use it afterwards. */
export async function create(
  deps: PipelineDeps,
  call: RequestScope,
  object: KubeObject,
  write: WriteParameters,
  name: string,
): Promise<Answer> {
  const { definition } = call;
  const pause = pauseOf(call);
  if (pause) await pause();
  const admitting = admitted(deps, call, object, write, name);
  const creation = admitting instanceof Promise ? await admitting : admitting;
  const { object: draft } = creation;
  // Admission may have made the object large.
  const pauseAfter = pauseOf(call);
  if (pauseAfter) await pauseAfter();
  if (definition.review) return { object: inOrder(await definition.review(actionCall(deps, call, write), draft)) };
  const store = deps.stores.of(definition);
  if (draft.metadata.name || !draft.metadata.generateName) return await attempt(deps, call, store, creation);
  for (let tries = 1; ; tries++) {
    const next = tries < generateNameAttempts ? cloneJson(draft) : draft;
    next.metadata.name = generateName(next.metadata.generateName ?? '', deps.random);
    try {
      return await attempt(deps, call, store, { ...creation, object: next });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (tries === generateNameAttempts) throw generateNameConflict(groupResourceOf(call), next.metadata.name);
    }
  }
}

/** Returns the draft with defaults, managedFields and the changes of mutating admission, in the version of the rules. */
function admitted(
  deps: PipelineDeps,
  call: RequestScope,
  object: KubeObject,
  write: WriteParameters,
  name: string,
): Maybe<Creation> {
  const { metadata } = object;
  wipeSystemFields(metadata);
  settleNamespace(call, metadata);
  if (name !== '') {
    metadata.name ||= name;
    checkName(metadata, name);
  }
  const duplicates = dedupOwners(object);
  if (duplicates !== '') call.warn(ownersWarning(duplicates));
  const complete = completeDraft(call, object);
  const pause = pauseOf(call);
  const tracking = andThen(pause?.(), () => ownUpdate(deps, call, undefined, complete, pause));
  const converting = andThen(tracking, tracked => toInternalVersion(call, tracked));
  return andThen(converting, draft => {
    const creation: Creation = { name: draft.metadata.name ?? '', object: draft, old: undefined, write };
    const mutating = mutate(deps, call, creation, write);
    return andThen(mutating, mutated => (mutated === write ? creation : { ...creation, write: mutated }));
  });
}

function attempt(deps: PipelineDeps, call: RequestScope, store: ResourceStore, creation: Creation): Promise<Answer> {
  return withoutManagedFieldsIfTooLarge(
    dropManagedFields => {
      if (dropManagedFields) delete creation.object.metadata.managedFields;
      return commit(deps, call, store, creation);
    },
    error => interpret(error, groupResourceOf(call), 'create'),
  );
}

function commit(deps: PipelineDeps, call: RequestScope, store: ResourceStore, creation: Creation): Promise<Answer> {
  const reservation = reserve(deps, call, creation.write);
  return reservation ? commitReserved(deps, call, store, creation, reservation) : put(deps, call, store, creation);
}

async function commitReserved(
  deps: PipelineDeps,
  call: RequestScope,
  store: ResourceStore,
  creation: Creation,
  reservation: Reservation,
): Promise<Answer> {
  try {
    const answer = await put(deps, call, store, creation, reservation);
    await reservation.settle(!creation.write.dryRun);
    return answer;
  } finally {
    await reservation.settle(false);
  }
}

// hot: available values are not awaited
async function put(
  deps: PipelineDeps,
  call: RequestScope,
  store: ResourceStore,
  creation: Creation,
  reservation?: Reservation,
): Promise<Answer> {
  const { object: draft, write } = creation;
  const finishing = finishNew(deps, call, creation, reservation);
  if (finishing) await finishing;
  const pause = pauseOf(call);
  if (pause) await pause();
  const { definition } = call;
  const name = draft.metadata.name ?? '';
  const key = storageKey(definition, call.namespace, name);
  if (write.dryRun) {
    const existing = await store.cache.get(key);
    if (existing) throw existsError(call, name, existing.value);
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
  const outcome = await store.cache.put(key, 'absent', store.codec.draft(key, written, incomplete), options);
  if (outcome.type === 'done') return answerOf(call, outcome.item.value);
  throw existsError(call, name, outcome.current?.value);
}

/** Returns the 409 for a name that `existing` has. */
function existsError(call: RequestScope, name: string, existing: Stored | undefined): Error {
  const terminating = existing?.object.metadata.deletionTimestamp !== undefined;
  return (terminating ? alreadyExistsDeleting : alreadyExists)(groupResourceOf(call), name);
}
