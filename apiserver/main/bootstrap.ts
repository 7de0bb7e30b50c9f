/** What a fresh server holds (KND-150). Written at every start where it is missing, never changed where it is there. */
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { isAlreadyExists, isNotFound } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';

interface Wanted {
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
}

const namespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function wanted(): readonly Wanted[] {
  return namespaces.map(name => ({
    resource: { group: '', version: 'v1', resource: 'namespaces' },
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  }));
}

async function ensure(client: Client, { resource, object }: Wanted): Promise<void> {
  const { name = '', namespace = '' } = object.metadata;
  try {
    await client.get(resource, { name, namespace });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error; // another replica was faster
    });
  }
}

export async function bootstrap(client: Client): Promise<void> {
  await Promise.all(wanted().map(each => ensure(client, each)));
}
