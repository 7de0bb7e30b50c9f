/** What callers get of what is stored. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { requestsStorageVersion } from './stored/api-versions.js';
import { isConverted, objectOf, renew, viewOf } from './stored/converted.js';
import type { Answer, RequestScope, Stored } from './interface.js';
import { toRequestedVersion } from './stored/versions.js';

type Spoken = Pick<RequestScope, 'definition' | 'version'>;

/** Stored bytes where they are of the call's version. */
export function answerOf(call: Spoken, stored: Stored): Maybe<Answer> {
  return requestsStorageVersion(call.definition, call.version)
    ? andThen(renew(call.definition, stored), renewed => ({ stored: renewed }))
    : andThen(convertStored(call, stored), object => ({ object }));
}

/** An object of another version comes with its fields in order. */
export function convertStored(call: Spoken, stored: Stored): Maybe<KubeObject> {
  const { definition, version } = call;
  if (isConverted(definition)) {
    if (!requestsStorageVersion(definition, version)) return viewOf(call, stored);
    return objectOf(definition, stored);
  }
  return requestsStorageVersion(definition, version) ? stored.object : toRequestedVersion(call, stored.object);
}
