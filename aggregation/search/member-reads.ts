/** Reads the members themselves, in place of their mirrors. */
import { StatusError } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { Stored } from '../../registry/pipeline/interface.js';
import { reachFailure } from '../proxy/reach-failure.js';
import { cache, type Cached } from './cached.js';
import type { Collection } from './caches.js';
import type { HeldObjects } from './held-lists.js';
import { isWithin } from './selection.js';

/** A page of the list of one cluster. */
export interface MemberPage<T extends Stored = Stored> {
  readonly items: readonly T[];
  /** The memory that the request holds for it; 0 for objects of a mirror. */
  readonly heldBytes: number;
  readonly version: string;
  readonly token: string;
}

/** Sends a request to a member. Throws StatusError for connection failures, too. */
export async function requestMember<T>(
  { member }: Collection,
  request: (client: Collection['member']['client']) => Promise<T>,
): Promise<T> {
  try {
    return await request(member.client);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof Error)) throw error;
    throw reachFailure(error, member.endpoint.server);
  }
}

/**
 * Reads a whole list page by page: only the texts of its objects are held, not their trees. Rejects when the signal aborts, and when the requests hold
 * too much.
 */
export async function requestAll(
  collection: Collection,
  query: ListQuery,
  { held, signal }: { readonly held: HeldObjects; readonly signal: AbortSignal },
): Promise<MemberPage<Cached>> {
  const { cluster, resource, fields } = collection;
  return requestMember(collection, async client => {
    const items: Cached[] = [];
    let heldBytes = 0;
    const objects = client.each(resource, query, signal);
    for (;;) {
      const { done, value } = await objects.next();
      if (done) return { items, heldBytes, version: value, token: '' };
      // Objects that have been received are passed on after the end of the request, too.
      signal.throwIfAborted();
      if (!isWithin(collection, value.object.metadata.namespace)) continue;
      const item = cache(value.object, cluster, fields);
      heldBytes += held.take([item], cluster);
      items.push(item);
    }
  });
}
