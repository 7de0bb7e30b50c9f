import type { KubeObject } from '../../openapi/interface.js';
import type { Item, Revision, Store } from '../../storage/interface.js';
import type { Stored } from './interface.js';
import { type StoredCodec, sameBytes } from './stored.js';

/** What a change makes of the object that stands at a key (undefined: nothing stands there). */
export type Decision =
  /** Store the draft, which becomes the store's. */
  | { readonly type: 'write'; readonly draft: KubeObject; readonly ttlSeconds?: number | undefined }
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

/**
 * The one compare-and-swap loop of all changes: decides over what the cache has, writes only if nobody else wrote meanwhile, and decides
 * again otherwise. A decision that throws, or to leave things as they are, over a state that proves to be stale is taken again over the
 * newest one. A write that would change no byte is none (OBJ-015).
 */
// as apiserver/pkg/storage/etcd3 GuaranteedUpdate
export async function guaranteedUpdate(
  store: Store<Stored>,
  codec: StoredCodec,
  key: string,
  decide: (old: Stored | undefined) => Promise<Decision>,
): Promise<Result> {
  let item = await store.get(key, cached);
  let current = false;
  for (;;) {
    const outcome = await attempt(store, codec, key, item, decide);
    if (outcome.type === 'lost') {
      item = outcome.current;
      current = true;
    } else if (outcome.type !== 'failed' && outcome.type !== 'left') return outcome;
    else {
      if (!current) {
        const newest = await store.get(key);
        current = true;
        if (newest?.revision !== item?.revision) {
          item = newest;
          continue;
        }
      }
      if (outcome.type === 'failed') throw outcome.error;
      return outcome;
    }
  }
}

type Attempt =
  | Result
  | { readonly type: 'lost'; readonly current: Item<Stored> | undefined }
  | { readonly type: 'failed'; readonly error: unknown };

async function attempt(
  store: Store<Stored>,
  codec: StoredCodec,
  key: string,
  item: Item<Stored> | undefined,
  decide: (old: Stored | undefined) => Promise<Decision>,
): Promise<Attempt> {
  let decision: Decision;
  try {
    decision = await decide(item?.value);
  } catch (error) {
    return { type: 'failed', error };
  }
  if (decision.type === 'answer') return decision;
  if (decision.type === 'write') {
    const draft = codec.draft(key, decision.draft);
    if (item && sameBytes(item.value, draft)) return { type: 'left', stored: item.value };
    const ttl = decision.ttlSeconds === undefined ? {} : { ttlSeconds: decision.ttlSeconds };
    const outcome = await store.put(key, item?.revision ?? 'absent', draft, ttl);
    if (outcome.type === 'conflict') return { type: 'lost', current: outcome.current };
    return { type: 'written', stored: outcome.item.value, created: item === undefined };
  }
  if (!item) throw new Error('nothing stands there to be left or removed');
  if (decision.type === 'leave') return { type: 'left', stored: item.value };
  const outcome = await store.remove(key, item.revision);
  if (outcome.type === 'conflict') return { type: 'lost', current: outcome.current };
  return { type: 'removed', last: item.value, revision: outcome.revision, object: decision.object };
}
