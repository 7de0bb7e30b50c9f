import type { KubeObject } from '../../../apimachinery/interface.js';
import { atOnce, inTimeSlices } from '../../../lib/time-slice.js';
import type { Item, PutOptions, Revision } from '../../../storage/interface.js';
import type { ResourceStore } from './resource-stores.js';
import type { StoredVersion } from './stored-version.js';

/** What to do with the object of a key. */
export type UpdateDecision =
  /** Store the draft, which the caller must not use afterwards. */
  | {
      readonly type: 'write';
      readonly draft: KubeObject;
      /** As in `Encoding.draft`. */
      readonly incomplete?: boolean;
      readonly put?: PutOptions;
      /** Whether the draft may be large, so that it is encoded in time slices. */
      readonly isLarge?: boolean;
    }
  /** Do not change the object. */
  | { readonly type: 'leave' }
  /** Remove the object; `object` is returned to the caller, if it differs from the stored one. */
  | { readonly type: 'remove'; readonly object?: KubeObject }
  /** Store nothing (dry run). */
  | { readonly type: 'answer'; readonly object: KubeObject; readonly outcome: 'created' | 'changed' | 'removed' };

export type Result =
  | { readonly type: 'written'; readonly stored: StoredVersion; readonly created: boolean }
  | { readonly type: 'left'; readonly stored: StoredVersion }
  | {
      readonly type: 'removed';
      readonly last: StoredVersion;
      readonly revision: Revision;
      readonly object: KubeObject | undefined;
    }
  | Extract<UpdateDecision, { type: 'answer' }>;

const anyRevision = { notBefore: 0 as Revision };

type Decide = (old: StoredVersion | undefined) => Promise<UpdateDecision>;
type UpdatedStore = Pick<ResourceStore, 'cache' | 'codec' | 'keyLocks'>;

/**
 * Changes an object by the single compare-and-swap loop of all changes: decides on the cached object, writes if there was no other write meanwhile,
 * and decides again otherwise. After one conflict a writer waits for its turn, so that many writers of one object do not starve each other. If the
 * decision throws or is to change nothing, and the cached object was stale, it is repeated on the newest object. A write that would not change a byte
 * is skipped.
 */
// as apiserver/pkg/storage/etcd3 GuaranteedUpdate
export async function guaranteedUpdate(store: UpdatedStore, key: string, decide: Decide): Promise<Result> {
  const { cache, keyLocks } = store;
  if (!keyLocks.isLocked(key)) {
    const item = cache.getCached(key) ?? (await cache.get(key, anyRevision));
    const outcome = await attempt(store, key, item, decide);
    if (outcome.type !== 'conflict') {
      if (outcome.type !== 'failed' && outcome.type !== 'left') return outcome;
      const newest = await cache.get(key);
      if (newest?.revision === item?.revision) return resultOf(outcome);
    }
  }
  return keyLocks.run(key, () => updateNewest(store, key, decide));
}

async function updateNewest(store: UpdatedStore, key: string, decide: Decide): Promise<Result> {
  for (let item = await store.cache.get(key); ;) {
    const outcome = await attempt(store, key, item, decide);
    if (outcome.type !== 'conflict') return resultOf(outcome);
    item = outcome.current;
  }
}

/** Throws the error of a failed attempt. */
function resultOf(outcome: Exclude<Attempt, { type: 'conflict' }>): Result {
  if (outcome.type === 'failed') throw outcome.error;
  return outcome;
}

type Attempt =
  | Result
  | { readonly type: 'conflict'; readonly current: Item<StoredVersion> | undefined }
  | { readonly type: 'failed'; readonly error: unknown };

async function attempt(
  { cache, codec }: UpdatedStore,
  key: string,
  item: Item<StoredVersion> | undefined,
  decide: Decide,
): Promise<Attempt> {
  let decision: UpdateDecision;
  try {
    decision = await decide(item?.value);
  } catch (error) {
    return { type: 'failed', error };
  }
  if (decision.type === 'answer') return decision;
  if (decision.type === 'write') {
    const encoding = codec.draftSteps(key, decision.draft, decision.incomplete, item?.value);
    const draft = decision.isLarge ? await inTimeSlices(encoding) : atOnce(encoding);
    if (item && item.value.equals(draft)) return { type: 'left', stored: item.value };
    const outcome = await cache.put(key, item?.revision ?? 'absent', draft, decision.put);
    if (outcome.type === 'conflict') return { type: 'conflict', current: outcome.current };
    return { type: 'written', stored: outcome.item.value, created: item === undefined };
  }
  if (!item) throw new Error('nothing stands there to be left or removed');
  if (decision.type === 'leave') return { type: 'left', stored: item.value };
  const outcome = await cache.remove(key, item.revision);
  if (outcome.type === 'conflict') return { type: 'conflict', current: outcome.current };
  return { type: 'removed', last: item.value, revision: outcome.revision, object: decision.object };
}
