import type { GroupResource } from '../apimachinery/errors/status.js';
import type { ResourceDefinition } from './interface.js';

/** Returns the resource of a request for errors, without its subresource. */
export const groupResourceOf = ({
  definition,
}: {
  readonly definition: Pick<ResourceDefinition, 'group' | 'plural'>;
}): GroupResource => ({ group: definition.group, resource: definition.plural });
