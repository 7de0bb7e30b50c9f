import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { found } from '../found.js';
import type { Client, ObjectKey } from '../interface.js';

const attempts = 5;

export const objectKey = ({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey =>
  namespace ? { namespace, name } : { name };

/**
 * Changes an object: `change` edits a copy of what is known, the result is written against its resourceVersion, and after a
 * conflict once more against what stands there now. Nothing is written when nothing changed. `change` may run several times; that of a status
 * has the rest in common with what is known: it may put something else there, and change nothing in place.
 * Rejects with NotFound when the object is gone, with Conflict after five lost races.
 */
export async function updateObject<T extends KubeObject>(
  client: Client,
  resource: GroupVersionResource,
  known: T,
  change: (draft: T) => void,
  options: { readonly subresource?: 'status' | 'finalize' } = {},
): Promise<T> {
  let current = known;
  for (let attempt = 1; ; attempt++) {
    const draft = options.subresource === 'status' ? withOwnStatus(current) : draftOf(current);
    change(draft);
    if (deepEqual(draft, current)) return current;
    try {
      return (await client.update(resource, draft, options)) as T;
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409) || attempt === attempts) throw error;
      current = (await client.get(resource, objectKey(known))) as T;
    }
  }
}

/** hot: a copy but for managedFields, which are the store's to change: it knows its own again. */
function draftOf<T extends KubeObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  const draft = cloneJson<T>({ ...object, metadata });
  if (managedFields) draft.metadata.managedFields = managedFields;
  return draft;
}

/** hot: the rest is shared. */
const withOwnStatus = <T extends KubeObject>(object: T): T =>
  'status' in object ? { ...object, status: cloneJson(object['status']) } : { ...object };

/** The object, or undefined where there is none. */
export const find = (client: Client, resource: GroupVersionResource, key: ObjectKey): Promise<KubeObject | undefined> =>
  found(client.get(resource, key));

/**
 * Makes an object, or changes the one that is there. `known` is what a mirror shows; where it shows nothing, the first try is a create.
 */
export async function createOrUpdate<T extends KubeObject>(
  client: Client,
  resource: GroupVersionResource,
  known: T | undefined,
  desired: T,
  change: (draft: T) => void,
): Promise<'created' | 'updated' | 'unchanged'> {
  let current = known;
  if (!current) {
    try {
      await client.create(resource, desired);
      return 'created';
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409)) throw error;
      current = (await find(client, resource, objectKey(desired))) as T | undefined;
      if (!current) throw error;
    }
  }
  return (await updateObject(client, resource, current, change)) === current ? 'unchanged' : 'updated';
}

/** Adds a finalizer, if it is not there; the object as it stands then. */
export async function addFinalizer<T extends KubeObject>(
  client: Client,
  resource: GroupVersionResource,
  object: T,
  finalizer: string,
): Promise<T> {
  if (object.metadata.finalizers?.includes(finalizer)) return object;
  return updateObject(client, resource, object, ({ metadata }) => {
    if (!metadata.finalizers?.includes(finalizer)) (metadata.finalizers ??= []).push(finalizer);
  });
}

/** Takes a finalizer away, if it is there. The last one to go takes the object with it. */
export async function removeFinalizer(
  client: Client,
  resource: GroupVersionResource,
  object: KubeObject,
  finalizer: string,
): Promise<void> {
  if (!object.metadata.finalizers?.includes(finalizer)) return;
  const without = updateObject(client, resource, object, ({ metadata }) => {
    metadata.finalizers = metadata.finalizers?.filter(f => f !== finalizer) ?? [];
  });
  await found(without);
}
