/** What a terminating namespace still has. It may be ten thousands of objects, which are read in turns of the event loop. */
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import type { Informer } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { eachInTurns } from '../../lib/time-slice.js';
import { foregroundFinalizer, orphanFinalizer } from '../../registry/strategy/metadata.js';

/** Remaining objects of one resource. */
export interface RemainingObjects {
  readonly resource: GroupVersionResource;
  readonly count: number;
  /** The number of objects with each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** Number of objects that are read at once of a resource without a mirror, such as Events. */
const pageSize = 500;

/** Yields the objects of a namespace, page by page. Rejects with the errors of the server. */
export async function* listedIn(
  client: Pick<Client, 'list'>,
  resource: GroupVersionResource,
  namespace: string,
): AsyncGenerator<readonly KubeObject[], void> {
  let token = '';
  do {
    const page = await client.list(resource, { namespace, limit: pageSize, ...(token && { continue: token }) });
    yield page.items;
    token = page.metadata.continue ?? '';
  } while (token);
}

const isCollectors = (finalizer: string): boolean => finalizer === foregroundFinalizer || finalizer === orphanFinalizer;

/** Reports whether the deletion of a collection would change an object: it is not being deleted, or not in the background. */
export async function hasUndeleted(informer: Informer, namespace: string): Promise<boolean> {
  for await (const { metadata } of walk(informer, informer.keysIn(namespace)))
    if (metadata.deletionTimestamp === undefined || metadata.finalizers?.some(isCollectors)) return true;
  return false;
}

/**
 * Returns what a namespace has of a resource; undefined if it has nothing. The server is asked, and not a mirror, which may be behind: a namespace must
 * not be finalized before it is empty. The finalizers are counted in the mirror.
 */
export async function remainingOf(
  client: Client,
  resource: GroupVersionResource,
  informer: Informer | undefined,
  namespace: string,
): Promise<RemainingObjects | undefined> {
  const finalizers = new Map<string, number>();
  let noted = 0;
  const note = (object: KubeObject): void => {
    noted++;
    for (const finalizer of object.metadata.finalizers ?? [])
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  };
  if (informer?.hasSynced !== true || informer.keysIn(namespace).size === 0) {
    await ignoreNotFound(eachListed(client, resource, namespace, note));
    return noted === 0 ? undefined : { resource, count: noted, finalizers };
  }
  const list = await ignoreNotFound(client.list(resource, { namespace, limit: 1 }));
  const { items = [], metadata } = list ?? {};
  if (items.length === 0 && !metadata?.continue) return undefined;
  for await (const object of walk(informer, informer.keysIn(namespace))) note(object);
  // The server of another API may not say how many objects follow the first one, and the mirror may be empty by now.
  const { remainingItemCount = metadata?.continue ? Math.max(noted - items.length, 1) : 0 } = metadata ?? {};
  return { resource, count: items.length + remainingItemCount, finalizers };
}

async function eachListed(
  client: Client,
  resource: GroupVersionResource,
  namespace: string,
  act: (object: KubeObject) => void,
): Promise<void> {
  for await (const page of listedIn(client, resource, namespace)) await eachInTurns(page, act);
}
