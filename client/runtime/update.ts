import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { cloneJson } from '../../lib/json/clone.js';
import { deepEqual } from '../../lib/json/equality.js';
import type { Maybe } from '../../lib/maybe.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { find, ignoreNotFound } from '../find.js';
import type { Client, DeleteOptions } from '../interface.js';
import { objectKey } from '../key.js';

const attempts = 5;

/**
 * Updates an object: `change` edits a copy of `known`, which is written with its resourceVersion, and after a conflict again from the server's
 * version. Writes nothing if nothing changed. `change` may run several times, and take turns of the event loop. For a status update only the status
 * is a copy: other fields may be replaced, but must not be changed in place. Rejects with NotFound, or with Conflict after five attempts.
 */
export async function updateObject<T extends KubeObject>(
  client: Client,
  resource: GroupVersionResource,
  known: T,
  change: (draft: T) => Maybe<void>,
  options: { readonly subresource?: 'status' | 'finalize' | 'approval' } = {},
): Promise<T> {
  let current = known;
  for (let attempt = 1; ; attempt++) {
    const draft = options.subresource === 'status' ? withOwnStatus(current) : draftOf(current);
    const changing = change(draft);
    if (changing) await changing;
    if (deepEqual(draft, current)) return current;
    try {
      return (await client.update(resource, draft, options)) as T;
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 409) || attempt === attempts) throw error;
      current = (await client.get(resource, objectKey(known))) as T;
    }
  }
}

/** hot: copies all but managedFields, which only the store changes; the store recognises its own instance. */
function draftOf<T extends KubeObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  const draft = cloneJson<T>({ ...object, metadata });
  if (managedFields) draft.metadata.managedFields = managedFields;
  return draft;
}

/** hot: copies only the status; the rest is shared. */
const withOwnStatus = <T extends KubeObject>(object: T): T =>
  'status' in object ? { ...object, status: cloneJson(object['status']) } : { ...object };

/**
 * Creates an object, or updates the existing one with `change`. `known` is the mirror's object; without it, the first attempt is a create.
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

/** Deletes an object. An object that is gone is ignored. Rejects with Conflict if the object has changed since it was read. */
export async function deleteUnchanged(
  client: Client,
  resource: GroupVersionResource,
  object: KubeObject,
  options: Omit<DeleteOptions, 'preconditions'> = {},
): Promise<void> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const preconditions = { uid, resourceVersion };
  await ignoreNotFound(client.delete(resource, objectKey(object), { ...options, preconditions }));
}

/** Adds a finalizer if it is absent. Returns the resulting object. */
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

/** Removes a finalizer if it is present. A terminating object is deleted with its last finalizer. */
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
  await ignoreNotFound(without);
}
