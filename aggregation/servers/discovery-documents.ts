/** The discovery documents of another server, as far as this one publishes them: known fields of the right types. */
import { ExpectedError } from '../../lib/logging/cause.js';
import type { JsonObject } from '../../apimachinery/interface.js';
import type { MappedResource } from '../../client/interface.js';

/** Maximum number of resources of one group version. Adapters of metrics have one per metric. */
const maxResources = 5000;

type Plain = Readonly<Record<string, unknown>>;

const plain = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : {});
const objects = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.map(plain) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];

/** A resource of an APIVersionDiscovery. */
export interface DiscoveredResource extends JsonObject {
  readonly resource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const kindOf = (value: unknown): DiscoveredResource['responseKind'] => {
  const { group, version, kind } = plain(value);
  return { group: text(group), version: text(version), kind: text(kind) };
};

const optional = (name: string, values: readonly unknown[]): JsonObject =>
  values.length > 0 ? { [name]: values } : {};

function limited(resources: readonly Plain[]): readonly Plain[] {
  if (resources.length > maxResources) throw new ExpectedError(`the server has more than ${maxResources} resources`);
  return resources;
}

function resourceOf(entry: Plain): DiscoveredResource {
  const subresources = objects(entry['subresources']).map(({ subresource, responseKind, verbs }) => ({
    subresource: text(subresource),
    responseKind: kindOf(responseKind),
    verbs: texts(verbs),
  }));
  return {
    resource: text(entry['resource']),
    responseKind: kindOf(entry['responseKind']),
    scope: entry['scope'] === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: text(entry['singularResource']),
    verbs: texts(entry['verbs']),
    ...optional('shortNames', texts(entry['shortNames'])),
    ...optional('categories', texts(entry['categories'])),
    ...optional(
      'subresources',
      subresources.filter(({ subresource }) => subresource !== ''),
    ),
  };
}

/**
 * Returns the resources of a group version in an APIGroupDiscoveryList: none if the list does not have the version. Returns undefined if the document
 * is another one. Throws ExpectedError for too many resources.
 */
export function fromAggregated(document: unknown, group: string, version: string): DiscoveredResource[] | undefined {
  const { kind, items } = plain(document);
  if (kind !== 'APIGroupDiscoveryList') return undefined;
  const groups = objects(items).filter(({ metadata }) => text(plain(metadata)['name']) === group);
  const found = groups.flatMap(({ versions }) => objects(versions)).find(each => each['version'] === version);
  return limited(objects(found?.['resources']))
    .map(resourceOf)
    .filter(({ resource }) => resource !== '');
}

/** Returns the resources of an APIResourceList. as apiserver/pkg/endpoints ConvertGroupVersionIntoToDiscovery */
export function fromResourceList(document: unknown): DiscoveredResource[] {
  const entries = limited(objects(plain(document)['resources'])).map(entry => ({
    ...entry,
    name: text(entry['name']),
  }));
  const parts = new Map<string, Plain[]>();
  for (const { name, ...entry } of entries) {
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const part = { ...entry, subresource: name.slice(slash + 1), responseKind: entry };
    const known = parts.get(name.slice(0, slash));
    if (known) known.push(part);
    else parts.set(name.slice(0, slash), [part]);
  }
  return entries
    .filter(({ name }) => name !== '' && !name.includes('/'))
    .map(({ name, ...entry }: Plain & { readonly name: string }) =>
      resourceOf({
        ...{ ...entry, resource: name, responseKind: entry, singularResource: entry['singularName'] },
        scope: entry['namespaced'] === true ? 'Namespaced' : 'Cluster',
        subresources: parts.get(name),
      }),
    );
}

/** Returns the hash of a group version's document in the index of OpenAPI v3; undefined if the index has none. */
export function documentHash(index: unknown, group: string, version: string): string | undefined {
  const entry = plain(plain(plain(index)['paths'])[`apis/${group}/${version}`]);
  return /^[^#]*[?&]hash=([\w-]{1,256})$/.exec(text(entry['serverRelativeURL']))?.[1];
}

/** Returns a discovered resource as clients know it; undefined without a kind. */
export function mappedResource(group: string, version: string, found: DiscoveredResource): MappedResource | undefined {
  const { resource, responseKind, scope, verbs, subresources = [] } = found;
  if (responseKind.kind === '') return undefined;
  return {
    ...{ group, version, resource, kind: responseKind.kind, namespaced: scope === 'Namespaced', verbs },
    subresources: subresources.map(({ subresource }) => subresource),
    isAggregated: true,
  };
}
