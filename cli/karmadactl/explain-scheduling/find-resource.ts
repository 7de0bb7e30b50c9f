import type { RemoteClient } from '../../../aggregation/interface.js';
import { pathOf } from '../../../aggregation/remote/paths.js';
import type { MappedResource } from '../../../client/interface.js';
import { isMap } from '../../../lib/json/is-map.js';
import { parseJson } from '../../../lib/json/json.js';
import { UsageError } from '../../flags/flags.js';

/** Reports whether a user may mean the resource by `deployments`, `deployment`, `Deployment`, or by these with `.apps` or `.v1.apps`. */
function isNamed({ resource, kind, group, version }: MappedResource, given: string): boolean {
  const [name = '', ...rest] = given.split('.');
  const suffix = rest.join('.');
  if (suffix !== '' && suffix !== group && suffix !== `${version}.${group}`) return false;
  return name.toLowerCase() === resource || name.toLowerCase() === kind.toLowerCase();
}

/** Returns the short names of the resources of a group version, by the names of the resources. */
async function shortNames(client: RemoteClient, one: MappedResource): Promise<ReadonlyMap<string, unknown>> {
  const path = pathOf({ ...one, resource: '' }).replace(/\/$/, '');
  const { status, body } = await client.raw({ method: 'GET', path });
  const list = status === 200 ? parseJson(body.toString()) : undefined;
  const resources = isMap(list) && Array.isArray(list['resources']) ? list['resources'] : [];
  return new Map(resources.filter(isMap).map(({ name, shortNames }) => [String(name), shortNames]));
}

/** Finds a resource by its name, kind or short name, as kubectl does. */
export async function findResource(client: RemoteClient, given: string): Promise<MappedResource> {
  const all = await client.mapper.resources();
  const named = all.find(resource => isNamed(resource, given));
  if (named) return named;
  const versions = new Map(all.map(resource => [`${resource.group}/${resource.version}`, resource]));
  for (const one of versions.values()) {
    const names = await shortNames(client, one);
    const found = all.find(resource => {
      const { group, version } = resource;
      const short = group === one.group && version === one.version ? names.get(resource.resource) : undefined;
      return Array.isArray(short) && short.includes(given);
    });
    if (found) return found;
  }
  throw new UsageError(`the server doesn't have a resource type "${given}"`);
}
