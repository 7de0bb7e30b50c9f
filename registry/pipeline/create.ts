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
import { type Parts, resourceOf, actionCall } from './context.js';
import { interpret, withoutManagedFieldsIfTooLarge } from './errors.js';
import { finishNew, mutate } from './finish.js';
import { inOrder } from './in-order.js';
import type { Answer, RequestScope, Stored, WriteParameters } from './interface.js';
import { keyOf } from './stored/keys.js';
import { ownUpdate } from './ownership.js';
import { pauseOf } from './pause.js';
import { dedupOwners, ownersWarning } from '../strategy/owners.js';
import type { ResourceStore } from './stored/resource-stores.js';
import { type Reservation, reserve } from './reservation.js';
import { completeDraft } from './decode.js';
import { answerOf } from './answers.js';
import { toRequestedVersion, toStorageVersion, storageRoundTrip, toInternalVersion } from './stored/versions.js';

/** How often a create tries another name. */
const generateNameAttempts = 8;

/** Creates an object. `object` is decoded, of the call's version, and belongs to the pipeline from now on. */
export async function create(
  parts: Parts,
  call: RequestScope,
  object: KubeObject,
  write: WriteParameters,
  name: string,
): Promise<Answer> {
  const { definition } = call;
  const pause = pauseOf(call);
  if (pause) await pause();
  const admitting = admitted(parts, call, object, write, name);
  const { draft, write: now } = admitting instanceof Promise ? await admitting : admitting;
  // Admission may have made the object large.
  const pauseAfter = pauseOf(call);
  if (pauseAfter) await pauseAfter();
  if (definition.review) return { object: inOrder(await definition.review(actionCall(parts, call, write), draft)) };
  const store = parts.stores.of(definition);
  if (draft.metadata.name || !draft.metadata.generateName)
    return await attempt(parts, call, { store, draft, asked: draft.metadata.name ?? '', write: now });
  for (let tries = 1; ; tries++) {
    const named = tries < generateNameAttempts ? cloneJson(draft) : draft;
    named.metadata.name = generateName(named.metadata.generateName ?? '', parts.random);
    try {
      return await attempt(parts, call, { store, draft: named, asked: '', write: now });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (tries === generateNameAttempts) throw generateNameConflict(resourceOf(call), named.metadata.name);
    }
  }
}

/** Completed, owned and mutated, in the version of the rules. */
function admitted(
  parts: Parts,
  call: RequestScope,
  object: KubeObject,
  write: WriteParameters,
  name: string,
): Maybe<{ readonly draft: KubeObject; readonly write: WriteParameters }> {
  const { metadata } = object;
  wipeSystemFields(metadata);
  settleNamespace(call, metadata);
  if (name !== '') {
    metadata.name ||= name;
    checkName(metadata, name);
  }
  const twice = dedupOwners(object);
  if (twice !== '') call.warn(ownersWarning(twice));
  const complete = completeDraft(call, object);
  const pause = pauseOf(call);
  const owning = andThen(pause?.(), () => ownUpdate(parts, call, undefined, complete, pause));
  const ruled = andThen(owning, owned => toInternalVersion(call, owned));
  return andThen(ruled, draft => {
    const mutating = mutate(parts, call, draft, undefined, draft.metadata.name ?? '', write);
    return andThen(mutating, now => ({ draft, write: now }));
  });
}

/** What is to be created: complete, in the version of the rules. */
interface Creation {
  readonly store: ResourceStore;
  readonly draft: KubeObject;
  /** The name that the client asked for; '' when it was made here. */
  readonly asked: string;
  readonly write: WriteParameters;
}

function attempt(parts: Parts, call: RequestScope, creation: Creation): Promise<Answer> {
  return withoutManagedFieldsIfTooLarge(
    dropped => {
      if (dropped) delete creation.draft.metadata.managedFields;
      return commit(parts, call, creation);
    },
    error => interpret(error, resourceOf(call), 'create'),
  );
}

function commit(parts: Parts, call: RequestScope, creation: Creation): Promise<Answer> {
  const taken = reserve(parts, call, creation.write);
  return taken ? commitTaking(parts, call, creation, taken) : put(parts, call, creation);
}

async function commitTaking(parts: Parts, call: RequestScope, creation: Creation, taken: Reservation): Promise<Answer> {
  try {
    const answer = await put(parts, call, creation, taken);
    await taken.settle(!creation.write.dryRun);
    return answer;
  } finally {
    await taken.settle(false);
  }
}

// hot: waits only for what is not there
async function put(parts: Parts, call: RequestScope, creation: Creation, taken?: Reservation): Promise<Answer> {
  const { store, draft, asked, write } = creation;
  const finishing = finishNew(parts, call, draft, asked, write, taken);
  if (finishing) await finishing;
  const pause = pauseOf(call);
  if (pause) await pause();
  const { definition } = call;
  const name = draft.metadata.name ?? '';
  const key = keyOf(definition, call.namespace, name);
  if (write.dryRun) {
    const stands = await store.cache.get(key);
    if (stands) throw isTaken(call, name, stands.value);
    return { object: await toRequestedVersion(call, await storageRoundTrip(call, draft)) };
  }
  // What is no number is none, and lost when it is stored. as apiserver/pkg/storage/etcd3 store.Create
  const { resourceVersion } = draft.metadata;
  if (resourceVersion && uintError(resourceVersion) === undefined && Number(resourceVersion) !== 0)
    throw resourceVersionOnCreate();
  const ttlSeconds = definition.ttlSeconds?.(draft);
  const options = ttlSeconds === undefined ? {} : { ttlSeconds };
  const stowing = toStorageVersion(call, draft);
  const { draft: written, lacking } = stowing instanceof Promise ? await stowing : stowing;
  const outcome = await store.cache.put(key, 'absent', store.codec.draft(key, written, lacking), options);
  if (outcome.type === 'done') return answerOf(call, outcome.item.value);
  throw isTaken(call, name, outcome.current?.value);
}

function isTaken(call: RequestScope, name: string, by: Stored | undefined): Error {
  const terminating = by?.object.metadata.deletionTimestamp !== undefined;
  return (terminating ? alreadyExistsDeleting : alreadyExists)(resourceOf(call), name);
}
