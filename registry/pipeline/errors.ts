/** What the store reports, in the words of the API. The one place where the two meet. */
import {
  type GroupResource,
  StatusError,
  internal,
  plainError,
  serverTimeout,
  tooManyRequests,
} from '../../apimachinery/errors/status.js';
import { StorageError } from '../../storage/error.js';

/** Of a single object: what is no matter of the object itself. Anything else is thrown on as it is. */
// as apiserver/pkg/registry/generic/registry storeerr Interpret*Error
export function interpret(error: unknown, resource: GroupResource, operation: string): unknown {
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
    // No Retry-After: clients repeat such a request ten times, and a disk is not freed within seconds.
    case 'unwritable':
    case 'corrupt':
      return internal(error.message);
    case 'compacted':
    case 'future':
    case 'locked':
    case 'format':
      return error;
  }
}

/** Tries with managed fields, and when the object is too large for the store without them; translates what is left. */
export async function withoutManagedFieldsIfTooLarge<T>(
  attempt: (unmanaged: boolean) => Promise<T>,
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
