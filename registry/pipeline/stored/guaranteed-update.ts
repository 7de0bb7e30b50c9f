import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Item, Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import type { ResourceStore } from './resource-stores.js';
import { sameBytes } from './stored.js';

/** What a change makes of the object that stands at a key (undefined: nothing stands there). */
export type Decision =
  /** Store the draft, which becomes the store's. */
  | {
      readonly type: 'write';
      readonly draft: KubeObject;
      /** What is stored is not all that is read of it. */
      readonly lacking?: boolean;
      readonly ttlSeconds?: number | undefined;
    }
  /** Leave it as it is. */
  | { readonly type: 'leave' }
  /** Remove it; `object` is what the caller is told, when that is not what stood there. */
  | { readonly type: 'remove'; readonly object?: KubeObject }
  /** Store nothing: a dry run. */
  | { readonly type: 'answer'; readonly object: KubeObject; readonly outcome: 'created' | 'changed' | 'removed' };

export type Result =
  | { readonly type: 'written'; readonly stored: Stored; readonly created: boolean }
  | { readonly type: 'left'; readonly stored: Stored }
  | {
      readonly type: 'removed';
      readonly last: Stored;
      readonly revision: Revision;
      readonly object: KubeObject | undefined;
    }
  | Extract<Decision, { type: 'answer' }>;

const cached = { notBefore: 0 as Revision };

type Decide = (old: Stored | undefined) => Promise<Decision>;
type Place = Pick<ResourceStore, 'cache' | 'codec' | 'turns'>;

/**
 * The one compare-and-swap loop of all changes: decides over what the cache has, writes only if nobody else wrote meanwhile, and decides
 * again otherwise. Who has lost once waits for its turn, so that many writers of one object do not keep each other from it. A decision
 * that throws, or to leave things as they are, over a state that proves to be stale is taken again over the newest one. A write that
 * would change no byte is none.
 */
// as apiserver/pkg/storage/etcd3 GuaranteedUpdate
export async function guaranteedUpdate(place: Place, key: string, decide: Decide): Promise<Result> {
  const { cache, turns } = place;
  if (!turns.isLocked(key)) {
    const item = cache.peek(key) ?? (await cache.get(key, cached));
    const outcome = await attempt(place, key, item, decide);
    if (outcome.type !== 'lost') {
      if (outcome.type !== 'failed' && outcome.type !== 'left') return outcome;
      const newest = await cache.get(key);
      if (newest?.revision === item?.revision) return settled(outcome);
    }
  }
  return turns.run(key, () => overNewest(place, key, decide));
}

async function overNewest(place: Place, key: string, decide: Decide): Promise<Result> {
  for (let item = await place.cache.get(key); ;) {
    const outcome = await attempt(place, key, item, decide);
    if (outcome.type !== 'lost') return settled(outcome);
    item = outcome.current;
  }
}

function settled(outcome: Exclude<Attempt, { type: 'lost' }>): Result {
  if (outcome.type === 'failed') throw outcome.error;
  return outcome;
}

type Attempt =
  | Result
  | { readonly type: 'lost'; readonly current: Item<Stored> | undefined }
  | { readonly type: 'failed'; readonly error: unknown };

async function attempt(
  { cache, codec }: Place,
  key: string,
  item: Item<Stored> | undefined,
  decide: Decide,
): Promise<Attempt> {
  let decision: Decision;
  try {
    decision = await decide(item?.value);
  } catch (error) {
    return { type: 'failed', error };
  }
  if (decision.type === 'answer') return decision;
  if (decision.type === 'write') {
    const draft = codec.draft(key, decision.draft, decision.lacking, item?.value);
    if (item && sameBytes(item.value, draft)) return { type: 'left', stored: item.value };
    const ttl = decision.ttlSeconds === undefined ? {} : { ttlSeconds: decision.ttlSeconds };
    const outcome = await cache.put(key, item?.revision ?? 'absent', draft, ttl);
    if (outcome.type === 'conflict') return { type: 'lost', current: outcome.current };
    return { type: 'written', stored: outcome.item.value, created: item === undefined };
  }
  if (!item) throw new Error('nothing stands there to be left or removed');
  if (decision.type === 'leave') return { type: 'left', stored: item.value };
  const outcome = await cache.remove(key, item.revision);
  if (outcome.type === 'conflict') return { type: 'lost', current: outcome.current };
  return { type: 'removed', last: item.value, revision: outcome.revision, object: decision.object };
}
