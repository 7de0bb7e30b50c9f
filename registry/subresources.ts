import type { ResourceDefinition, Subresource, VersionDefinition } from './interface.js';

type WithSubresources = Pick<ResourceDefinition, 'subresources'>;

/** Returns the subresources of a version. */
export const subresourcesOf = (
  definition: WithSubresources,
  version: VersionDefinition,
): Readonly<Record<string, Subresource>> => version.subresources ?? definition.subresources;

/** Returns a subresource of a version; undefined for the resource itself (`''`). */
export function subresourceOf(call: {
  readonly definition: WithSubresources;
  readonly version: VersionDefinition;
  readonly subresource: string;
}): Subresource | undefined {
  const { definition, version, subresource } = call;
  const all = subresourcesOf(definition, version);
  return Object.hasOwn(all, subresource) ? all[subresource] : undefined;
}
