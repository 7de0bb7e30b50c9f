/** The answers of reads and writes, from stored objects. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { requestsStorageVersion } from './stored/api-versions.js';
import { currentObject, isConverted, toCurrentVersion, requestedView } from './stored/converted.js';
import { loadedObject } from './stored/loaded.js';
import type { ObjectAnswer, RequestScope, Stored } from './interface.js';
import { toRequestedVersion } from './stored/versions.js';

type VersionScope = Pick<RequestScope, 'definition' | 'version'>;

/** Returns the stored bytes if they have the requested version, otherwise a converted object. */
export function answerOf(call: VersionScope, stored: Stored): Maybe<ObjectAnswer> {
  if (!requestsStorageVersion(call.definition, call.version))
    return andThen(convertStored(call, stored), object => ({ object }));
  const decoding = stored.decoding?.();
  if (decoding) return decoding.then(() => answerOf(call, stored));
  return andThen(toCurrentVersion(call.definition, stored), current => ({ stored: current }));
}

/** Returns a stored object in the requested version; a converted object has its fields in order. */
export function convertStored(call: VersionScope, stored: Stored): Maybe<KubeObject> {
  const { definition, version } = call;
  if (isConverted(definition)) {
    if (!requestsStorageVersion(definition, version)) return requestedView(call, stored);
    return currentObject(definition, stored);
  }
  const loading = loadedObject(stored);
  return requestsStorageVersion(definition, version)
    ? loading
    : andThen(loading, object => toRequestedVersion(call, object));
}
