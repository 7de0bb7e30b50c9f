import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../../client/interface.js';
import { listRecent } from '../../client/recent.js';

/** Returns the newest of the classes with a default annotation; among equally old ones, the first by name. */
export async function defaultClass(
  client: Client,
  resource: GroupVersionResource,
  annotations: readonly string[],
): Promise<KubeObject | undefined> {
  const marked = (await listRecent(client, resource)).filter(({ metadata }) =>
    annotations.some(annotation => metadata.annotations?.[annotation] === 'true'),
  );
  const createdAt = ({ metadata }: KubeObject): number => Date.parse(metadata.creationTimestamp ?? '');
  const name = ({ metadata }: KubeObject): string => metadata.name ?? '';
  return marked.sort((a, b) => createdAt(b) - createdAt(a) || (name(a) < name(b) ? -1 : 1))[0];
}
