/** Reads from memory without waiting, for the lookups of admission with every write. */
import { StorageError } from '../../../storage/error.js';
import type { Item } from '../../../storage/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { requestsStorageVersion } from '../stored/api-versions.js';
import type { PipelineDeps } from '../context.js';
import { isConverted } from '../stored/converted.js';
import type { ResourceScope, Stored } from '../interface.js';
import { storageKey, prefixOf } from '../stored/keys.js';
import type { StoredVersion } from '../stored/stored-version.js';

/** Like `get` at resourceVersion 0; undefined if the object does not exist, or is not available without conversion, long decoding or waiting. */
export function getCached(deps: PipelineDeps, scope: ResourceScope, name: string): Stored | undefined {
  if (!isAsStored(scope)) return undefined;
  const { definition, namespace } = scope;
  const stored = ifAvailable(
    () => deps.stores.of(definition).cache.getCached(storageKey(definition, namespace, name))?.value,
  );
  return stored?.isUndecoded ? undefined : stored;
}

/** Like `list` at resourceVersion 0; undefined if the list is not available without conversion, long decoding or waiting. */
export function listCached(deps: PipelineDeps, scope: ResourceScope): readonly Stored[] | undefined {
  if (!isAsStored(scope)) return undefined;
  const { definition, namespace } = scope;
  const all = ifAvailable(() =>
    deps.stores.of(definition).cache.rangeCached(prefixOf(definition, namespace))?.map(valueOf),
  );
  return all?.some(({ isUndecoded }) => isUndecoded) ? undefined : all;
}

/** Returns the shared stored object if it has the requested version and has been parsed already. */
export function getParsed(deps: PipelineDeps, scope: ResourceScope, name: string): KubeObject | undefined {
  const { definition, version, namespace } = scope;
  if (!requestsStorageVersion(definition, version)) return undefined;
  const item = ifAvailable(() => deps.stores.of(definition).cache.getCached(storageKey(definition, namespace, name)));
  return item?.value.inMemory;
}

const valueOf = ({ value }: Item<StoredVersion>): StoredVersion => value;

const isAsStored = ({ definition, version }: ResourceScope): boolean =>
  requestsStorageVersion(definition, version) && !isConverted(definition);

/** Returns undefined for errors of the store. */
function ifAvailable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
