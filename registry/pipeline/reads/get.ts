import { notFound, tooLargeResourceVersion } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';
import type { Item } from '../../../storage/interface.js';
import { currentObject } from '../stored/converted.js';
import type { PipelineDeps } from '../context.js';
import { interpretStorageError } from '../errors.js';
import type { ObjectAnswer, RequestScope } from '../interface.js';
import { storageKey } from '../stored/keys.js';
import type { StoredVersion } from '../stored/stored-version.js';
import { readVersion } from './list-options.js';
import { scaleOf, scalePartOf } from '../scale.js';
import { answerOf } from '../answers.js';
import { groupResourceOf } from '../../group-resource.js';

/** hot: reads an object at the newest revision, or at one not before `resourceVersion`. Throws 404. */
export async function get(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  resourceVersion?: string,
): Promise<ObjectAnswer> {
  const { definition } = call;
  const key = storageKey(definition, call.namespace, name);
  const notBefore = readVersion(resourceVersion);
  const { cache } = deps.stores.of(definition);
  let item: Item<StoredVersion> | undefined;
  try {
    item = await cache.get(key, notBefore === undefined ? undefined : { notBefore });
  } catch (error) {
    throw readError(call, error, resourceVersion);
  }
  if (!item) throw notFound(groupResourceOf(call), name);
  const scale = scalePartOf(call);
  return scale
    ? { object: scaleOf(call, scale, await currentObject(definition, item.value)) }
    : answerOf(call, item.value);
}

function readError(call: RequestScope, error: unknown, resourceVersion: string | undefined): unknown {
  if (error instanceof StorageError && error.code === 'future')
    return tooLargeResourceVersion(resourceVersion ?? 0, error.revision ?? 0);
  return interpretStorageError(error, groupResourceOf(call), 'get');
}
