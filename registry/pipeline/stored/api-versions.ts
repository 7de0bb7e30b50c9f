/** The version that is stored, and the one that a call speaks. */
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import type { RequestScope } from '../interface.js';

export function storageApiVersion(definition: ResourceDefinition): string {
  return apiVersionOf({ group: definition.storageGroup ?? definition.group, version: definition.storageVersion });
}

export function requestedApiVersion({ definition, version }: Pick<RequestScope, 'definition' | 'version'>): string {
  return apiVersionOf({ group: definition.group, version: version.name });
}

/** Do clients of the version get what is stored as it is? */
export function requestsStorageVersion(definition: ResourceDefinition, version: VersionDefinition): boolean {
  return version.name === definition.storageVersion && definition.storageGroup === undefined;
}
