/** Lookups of plugins in the API: from memory, or from the store if something is missing there. */
import type { GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import type { Maybe } from '../lib/maybe.js';
import { isNotFound } from '../apimachinery/errors/status.js';
import { found } from '../client/found.js';
import type { Client, ObjectKey } from '../client/interface.js';

type Getter = Pick<Client, 'get' | 'cached'>;

/** hot: called with every write of a namespaced object. Returns an object, without a promise if it is in memory. Rejects with 404. */
export function get(client: Getter, resource: GroupVersionResource, key: ObjectKey): Maybe<KubeObject> {
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

/** Returns an object; undefined if it does not exist. */
export function find(client: Client, resource: GroupVersionResource, key: ObjectKey): Maybe<KubeObject | undefined> {
  const result = get(client, resource, key);
  return result instanceof Promise ? found(result) : result;
}

/** Returns all objects, of one namespace if given, sorted by name. Objects that do not match `labelSelector` are not parsed. */
export function all(
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

/** Returns the newest of the classes with a default annotation; among equally old ones, the first by name. */
export async function defaultClass(
  client: Client,
  resource: GroupVersionResource,
  annotations: readonly string[],
): Promise<KubeObject | undefined> {
  const marked = (await all(client, resource)).filter(({ metadata }) =>
    annotations.some(annotation => metadata.annotations?.[annotation] === 'true'),
  );
  const createdAt = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '');
  const name = ({ metadata }: KubeObject): string => metadata.name ?? '';
  return marked.sort((a, b) => createdAt(b) - createdAt(a) || (name(a) < name(b) ? -1 : 1))[0];
}
