/** Translates errors of the store to errors of the API. */
import {
  type GroupResource,
  StatusError,
  internal,
  plainError,
  serverTimeout,
  tooManyRequests,
} from '../../apimachinery/errors/status.js';
import { StorageError } from '../../storage/error.js';

/** Returns the error of the API for an error of the store that does not depend on the object; any other error unchanged. */
// as apiserver/pkg/registry/generic/registry storeerr Interpret*Error
export function interpretStorageError(error: unknown, resource: GroupResource, operation: string): unknown {
  if (error instanceof StatusError || !(error instanceof StorageError)) return error;
  switch (error.code) {
    case 'unavailable':
      return serverTimeout(resource, operation);
    case 'initializing':
      return tooManyRequests(error.message, 1);
    case 'tooLarge':
      return plainError('etcdserver: request is too large');
    case 'full':
      return plainError('etcdserver: mvcc: database space exceeded');
    // No Retry-After: clients would repeat the request ten times, and a full disk is not freed within seconds.
    // The cause keeps controllers from logging what the store has logged.
    case 'unwritable':
      return new StatusError(internal(error.message).status, { cause: error });
    case 'corrupt':
      return internal(error.message);
    case 'compacted':
    case 'future':
    case 'locked':
    case 'format':
      return error;
  }
}

/** Attempts a write, and repeats it without managedFields if the object is too large for the store. Translates the error. */
export async function withoutManagedFieldsIfTooLarge<T>(
  attempt: (dropManagedFields: boolean) => Promise<T>,
  translate: (error: unknown) => unknown,
): Promise<T> {
  try {
    return await attempt(false);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'tooLarge') throw translate(error);
  }
  try {
    return await attempt(true);
  } catch (error) {
    throw translate(error);
  }
}
