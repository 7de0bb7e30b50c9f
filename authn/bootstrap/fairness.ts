import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { ensureAll } from './ensure.js';
import type { Expected } from './expected.js';
import { fairnessObjects } from './objects.js';
import { saysAutoupdate } from './reconcile.js';

/** Removes objects of earlier releases that no user has changed. as pkg/registry/flowcontrol/ensurer RemoveUnwantedObjects */
async function removeUnwanted(
  client: Client,
  resource: GroupVersionResource,
  wanted: readonly Expected[],
): Promise<void> {
  const names = new Set(wanted.map(({ object }) => object.metadata.name));
  const { items } = await client.list(resource);
  for (const object of items) {
    const { name = '', uid = '' } = object.metadata;
    if (names.has(name) || saysAutoupdate(object) !== true) continue;
    await ignoreNotFound(client.delete(resource, { name }, { preconditions: { uid } }));
  }
}

/** Creates and updates the objects of priority and fairness. */
export async function ensureFairness(client: Client): Promise<void> {
  const wanted = fairnessObjects();
  await ensureAll(client, wanted);
  const resources = [...new Set(wanted.map(({ resource }) => resource.resource))];
  for (const resource of resources) {
    const own = wanted.filter(expected => expected.resource.resource === resource);
    if (own[0]) await removeUnwanted(client, own[0].resource, own);
  }
}
