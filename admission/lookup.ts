/** What plugins look up in the API that they guard: what is in memory will do, unless something is missing there. */
import type { GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import type { Maybe } from '../lib/maybe.js';
import { isNotFound } from '../apimachinery/errors/status.js';
import { found } from '../client/found.js';
import type { Client, ObjectKey } from '../client/interface.js';

type Getter = Pick<Client, 'get' | 'cached'>;

/** hot: asked for with every write of a namespaced object: no promise is made of what is in memory. Rejects with 404. */
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

export function find(client: Client, resource: GroupVersionResource, key: ObjectKey): Maybe<KubeObject | undefined> {
  const asked = get(client, resource, key);
  return asked instanceof Promise ? found(asked) : asked;
}

/** All of a kind, in a namespace if one is given; by name. `labelSelector`: only those, others are not even parsed. */
export function all(
  client: Client,
  resource: GroupVersionResource,
  namespace?: string,
  labelSelector = '',
): Maybe<readonly KubeObject[]> {
  const held = labelSelector === '' ? client.cached?.listCached(resource, namespace ?? '') : undefined;
  return held ? held.map(({ object }) => object) : listed(client, resource, namespace, labelSelector);
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

/** The newest of the classes that are marked as the default, by name among equals. */
export async function defaultClass(
  client: Client,
  resource: GroupVersionResource,
  annotations: readonly string[],
): Promise<KubeObject | undefined> {
  const marked = (await all(client, resource)).filter(({ metadata }) =>
    annotations.some(annotation => metadata.annotations?.[annotation] === 'true'),
  );
  const made = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '');
  const name = ({ metadata }: KubeObject): string => metadata.name ?? '';
  return marked.sort((a, b) => made(b) - made(a) || (name(a) < name(b) ? -1 : 1))[0];
}
