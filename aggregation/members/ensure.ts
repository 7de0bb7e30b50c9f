import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { isAlreadyExists } from '../../apimachinery/errors/status.js';
import { labels } from '../../api/karmada/well-known.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { objectKey } from '../../client/key.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { core } from './resources.js';

/** The labels of what joining creates. */
export const systemLabels = { [labels.system]: 'true' };

/** Creates the object, or updates the existing one with `change`. Returns the result. */
export async function ensure(
  client: Client,
  resource: GroupVersionResource,
  object: KubeObject,
  change: (draft: KubeObject) => void = () => undefined,
): Promise<KubeObject> {
  const key = objectKey(object);
  for (let attempted = false; ; attempted = true) {
    const known = await find(client, resource, key);
    if (known) {
      const draft = cloneJson(known);
      change(draft);
      return deepEqual(draft, known) ? known : client.update(resource, draft);
    }
    // Clusters that join concurrently create the same objects.
    try {
      return await client.create(resource, object);
    } catch (error) {
      if (attempted || !isAlreadyExists(error)) throw error;
    }
  }
}

/** Returns a namespace with the label of the system. Creates it if it is absent. Rejects with the Status errors of the client. */
export const ensureNamespace = (client: Client, name: string): Promise<KubeObject> =>
  ensure(client, core('namespaces'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: systemLabels } });
