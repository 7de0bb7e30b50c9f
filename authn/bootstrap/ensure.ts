/** Creates what a server must have and keeps it up, at every start. Several servers over one store may do so at the same time. */
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import type { Expected } from './expected.js';
import { bootstrapObjects, type BootstrapOptions } from './objects.js';

const fieldManager = 'kube-apiserver';
const attempts = 5;

const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): { namespace: string; name: string } => ({
  namespace,
  name,
});
const textOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;

/** What there is of a resource, by key. Read once: most starts find everything in place. */
async function existing(client: Client, resource: GroupVersionResource): Promise<ReadonlyMap<string, KubeObject>> {
  const { items } = await client.list(resource);
  return new Map(items.map(object => [textOf(object), object]));
}

async function read(client: Client, { resource, object }: Expected): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, keyOf(object));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** One step towards what is expected; the object as it then stands. */
async function step(client: Client, wanted: Expected, found: KubeObject | undefined): Promise<KubeObject> {
  const { resource, object, reconcile } = wanted;
  if (found === undefined) return client.create(resource, object, { fieldManager });
  const change = reconcile(found, object);
  if (change === undefined) return found;
  if (change.type === 'update') return client.update(resource, change.object, { fieldManager });
  const { uid } = found.metadata;
  await client.delete(resource, keyOf(object), uid === undefined ? {} : { preconditions: { uid } });
  return client.create(resource, object, { fieldManager });
}

const hasConditions = (object: KubeObject): boolean => {
  const { conditions } = (object['status'] as { conditions?: readonly unknown[] } | undefined) ?? {};
  return (conditions ?? []).length > 0;
};

/** Somebody else was there first: look again. */
const overtaken = (error: unknown): boolean => isAlreadyExists(error) || isConflict(error) || isNotFound(error);

async function ensure(client: Client, wanted: Expected, found: KubeObject | undefined): Promise<void> {
  let current = found;
  for (let attempt = 1; ; attempt++) {
    try {
      current = await step(client, wanted, current);
      if (wanted.status !== undefined && !hasConditions(current)) {
        const draft = { ...current, status: wanted.status };
        await client.update(wanted.resource, draft, { subresource: 'status', fieldManager });
      }
      return;
    } catch (error) {
      if (attempt === attempts || !overtaken(error)) throw error;
      current = await read(client, wanted);
    }
  }
}

/** All of one group at once: what is missing is written together. */
async function ensureAll(client: Client, group: readonly Expected[]): Promise<void> {
  const resources = new Map(group.map(({ resource }) => [JSON.stringify(resource), resource]));
  const found = new Map(
    await Promise.all([...resources].map(async ([key, resource]) => [key, await existing(client, resource)] as const)),
  );
  await Promise.all(
    group.map(wanted => ensure(client, wanted, found.get(JSON.stringify(wanted.resource))?.get(textOf(wanted.object)))),
  );
}

/** Rejects when something cannot be written; what came before it stays. */
export async function ensureBootstrap(client: Client, options: BootstrapOptions): Promise<void> {
  for (const group of bootstrapObjects(options)) await ensureAll(client, group);
}
