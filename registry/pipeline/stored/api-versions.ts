/** The storage version of a resource, and the version of a request. */
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import type { RequestScope } from '../interface.js';

/** Returns the apiVersion in which objects are stored. */
export function storageApiVersion(definition: ResourceDefinition): string {
  return apiVersionOf({ group: definition.storageGroup ?? definition.group, version: definition.storageVersion });
}

/** Returns the apiVersion that a request reads or writes. */
export function requestedApiVersion({ definition, version }: Pick<RequestScope, 'definition' | 'version'>): string {
  return apiVersionOf({ group: definition.group, version: version.name });
}

/** Reports whether objects are stored in the requested version, so that they need no conversion. */
export function requestsStorageVersion(definition: ResourceDefinition, version: VersionDefinition): boolean {
  return version.name === definition.storageVersion && definition.storageGroup === undefined;
}
