/** What plugins look up in the API that they guard: what is in memory will do, unless something is missing there. */
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { isNotFound } from '../../openapi/meta/status.js';
import { found } from '../client/found.js';
import type { Client, ObjectKey } from '../interface.js';

/** hot: asked for with every write of a namespaced object. Throws 404. */
export async function get(
  client: Pick<Client, 'get'>,
  resource: GroupVersionResource,
  key: ObjectKey,
): Promise<KubeObject> {
  try {
    return await client.get(resource, key, { resourceVersion: '0' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return client.get(resource, key);
  }
}

export const find = (client: Client, resource: GroupVersionResource, key: ObjectKey): Promise<KubeObject | undefined> =>
  found(get(client, resource, key));

/** All of a kind, in a namespace if one is given; by name. `labelSelector`: only those, others are not even parsed. */
export async function all(
  client: Client,
  resource: GroupVersionResource,
  namespace?: string,
  labelSelector = '',
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
