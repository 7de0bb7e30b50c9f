import type { ResourceDefinition, Subresource, VersionDefinition } from './interface.js';

type Of = Pick<ResourceDefinition, 'subresources'>;

/** Those of a version. */
export const subresourcesOf = (definition: Of, version: VersionDefinition): Readonly<Record<string, Subresource>> =>
  version.subresources ?? definition.subresources;

/** One of a version; undefined for the resource itself (`''`). */
export function subresourceOf(call: {
  readonly definition: Of;
  readonly version: VersionDefinition;
  readonly subresource: string;
}): Subresource | undefined {
  const { definition, version, subresource } = call;
  const all = subresourcesOf(definition, version);
  return Object.hasOwn(all, subresource) ? all[subresource] : undefined;
}
