import type { Catalogue } from '../../interface.js';

/**
 * Reports whether this server has kinds of a group version that are not custom resources. It serves them itself: Karmada's groups of aggregated
 * servers (`cluster.karmada.io`), whose APIServices name a Service, too. differs: upstream would also hand over `apps/v1`.
 */
export function servesBuiltIn(catalogue: Catalogue, group: string, version: string): boolean {
  for (const definition of catalogue.all())
    if (
      definition.group === group &&
      !definition.wire.itemsCarryType &&
      definition.versions.some(({ name, served }) => served && name === version)
    )
      return true;
  return false;
}
