/** Reads the members themselves, in place of their mirrors. */
import { StatusError } from '../../apimachinery/errors/status.js';
import type { ListQuery } from '../../client/interface.js';
import type { Stored } from '../../registry/pipeline/interface.js';
import { reachFailure } from '../proxy/reach-failure.js';
import { cache, type Cached } from './cached.js';
import type { Collection } from './caches.js';
import { isWithin } from './selection.js';

/** A page of the list of one cluster. */
export interface MemberPage<T extends Stored = Stored> {
  readonly items: readonly T[];
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

/** Reads a whole list page by page: only the texts of its objects are held, not their trees. Rejects when the signal aborts. */
export async function requestAll(
  collection: Collection,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<MemberPage<Cached>> {
  const { cluster, resource, fields } = collection;
  return requestMember(collection, async client => {
    const items: Cached[] = [];
    const objects = client.each(resource, query, signal);
    for (;;) {
      const { done, value } = await objects.next();
      if (done) return { items, version: value, token: '' };
      if (isWithin(collection, value.object.metadata.namespace)) items.push(cache(value.object, cluster, fields));
    }
  });
}
