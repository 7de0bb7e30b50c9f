import type { GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import { StatusError } from '../apimachinery/errors/status.js';
import type { Client, ObjectKey } from './interface.js';

/** Resolves with the value of a request; with undefined if the server answers 404. as controller-runtime/pkg/client IgnoreNotFound */
export async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && error.code === 404) return undefined;
    throw error;
  }
}

/** Gets the newest state of an object; resolves with undefined if it does not exist. */
export const find = (
  client: Pick<Client, 'get'>,
  resource: GroupVersionResource,
  key: ObjectKey,
): Promise<KubeObject | undefined> => ignoreNotFound(client.get(resource, key));
