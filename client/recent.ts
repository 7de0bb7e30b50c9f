/**
 * Reads of recent states, for admission and authentication: from memory, which may be behind the store, and from the store what memory lacks.
 * They return a promise only if they have to wait.
 */
import type { GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import type { Maybe } from '../lib/maybe.js';
import { isNotFound } from '../apimachinery/errors/status.js';
import { ignoreNotFound } from './find.js';
import type { Client, ObjectKey } from './interface.js';

type Getter = Pick<Client, 'get' | 'cached'>;

/**
 * hot: called with every write of a namespaced object. Returns an object. Rejects with 404 if it is neither in memory nor in the store, so that
 * an object that was created just before is found.
 */
export function getRecent(client: Getter, resource: GroupVersionResource, key: ObjectKey): Maybe<KubeObject> {
  return client.cached?.getCached(resource, key)?.object ?? fetched(client, resource, key);
}

async function fetched(client: Getter, resource: GroupVersionResource, key: ObjectKey): Promise<KubeObject> {
  try {
    return await client.get(resource, key, { resourceVersion: '0' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return client.get(resource, key);
  }
}

/** As `getRecent`, with undefined for an object that does not exist. */
export function findRecent(
  client: Getter,
  resource: GroupVersionResource,
  key: ObjectKey,
): Maybe<KubeObject | undefined> {
  const result = getRecent(client, resource, key);
  return result instanceof Promise ? ignoreNotFound(result) : result;
}

/**
 * Returns all objects, of one namespace if given, sorted by name. An object that was created just before may be missing. Objects that do not
 * match `labelSelector` are not parsed.
 */
export function listRecent(
  client: Client,
  resource: GroupVersionResource,
  namespace?: string,
  labelSelector = '',
): Maybe<readonly KubeObject[]> {
  const cached = labelSelector === '' ? client.cached?.listCached(resource, namespace ?? '') : undefined;
  return cached ? cached.map(({ object }) => object) : listed(client, resource, namespace, labelSelector);
}

async function listed(
  client: Client,
  resource: GroupVersionResource,
  namespace: string | undefined,
  labelSelector: string,
): Promise<readonly KubeObject[]> {
  const { items } = await client.list(resource, {
    resourceVersion: '0',
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector !== '' && { labelSelector }),
  });
  return items;
}
