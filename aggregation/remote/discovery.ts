import { ExpectedError } from '../../lib/logging/cause.js';
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { gvkText } from '../../apimachinery/meta/gvk.js';
import type { MappedResource, ResourceMapper } from '../../client/interface.js';
import { maxResources } from './limits.js';

/** Reads a JSON document of the server. Rejects with StatusError. */
type Fetch = (path: string, accept?: string) => Promise<unknown>;

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
/** Milliseconds after which an unknown kind causes a new discovery, since it may have been added meanwhile. */
const refreshMs = 10_000;
/** Maximum number of group versions that are read from a server without aggregated discovery. */
const maxGroups = 1000;

/** Returns all resources of a server, preferred versions first: by aggregated discovery, or group by group if the server does not support it. */
export async function discover(fetch: Fetch): Promise<MappedResource[]> {
  const [core, groups] = await Promise.all([fetch('/api', aggregated), fetch('/apis', aggregated)]);
  const lists = [core, groups].filter(isAggregated);
  return checked(lists.length === 2 ? lists.flatMap(fromAggregated) : await legacy(core, groups, fetch));
}

type Plain = Readonly<Record<string, unknown>>;

const plain = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : {});
/** Returns the objects of a list; none if the value is no list. */
const objects = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.map(plain) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];

const isAggregated = (document: unknown): boolean => plain(document)['kind'] === 'APIGroupDiscoveryList';

function fromAggregated(list: unknown): MappedResource[] {
  return objects(plain(list)['items']).flatMap(({ metadata, versions }) =>
    objects(versions).flatMap(({ version, resources }) =>
      objects(resources).map(({ resource, responseKind, scope, verbs, subresources }) => ({
        group: text(plain(metadata)['name']),
        version: text(version),
        resource: text(resource),
        kind: text(plain(responseKind)['kind']),
        namespaced: scope === 'Namespaced',
        verbs: textsIn(verbs),
        subresources: objects(subresources).map(({ subresource }) => text(subresource)),
      })),
    ),
  );
}

async function legacy(core: unknown, groups: unknown, fetch: Fetch): Promise<MappedResource[]> {
  const groupVersions = [
    ...textsIn(plain(core)['versions']).map(version => ({ group: '', version, path: `/api/${version}` })),
    ...objects(plain(groups)['groups']).flatMap(({ name, versions }) =>
      objects(versions).map(({ version }) => ({
        ...{ group: text(name), version: text(version) },
        path: `/apis/${encodeURIComponent(text(name))}/${encodeURIComponent(text(version))}`,
      })),
    ),
  ];
  if (groupVersions.length > maxGroups) throw new ExpectedError(`the server has more than ${maxGroups} groups`);
  const documents = await Promise.allSettled(
    groupVersions.map(async ({ group, version, path }) => fromLegacy(group, version, await fetch(path))),
  );
  // A group that fails must not hide the others (as client-go's partial discovery). It is an error when all fail.
  const read = documents.filter(document => document.status === 'fulfilled');
  const [first] = documents;
  if (first?.status === 'rejected' && read.length === 0) throw first.reason;
  return read.flatMap(({ value }) => value);
}

function fromLegacy(group: string, version: string, list: unknown): MappedResource[] {
  const entries = objects(plain(list)['resources']).map(entry => ({ entry, name: text(entry['name']) }));
  const subresources = new Map<string, string[]>();
  for (const { name } of entries) {
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const known = subresources.get(name.slice(0, slash));
    if (known) known.push(name.slice(slash + 1));
    else subresources.set(name.slice(0, slash), [name.slice(slash + 1)]);
  }
  return entries
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, entry }) => ({
      ...{ group, version, resource: name },
      kind: text(entry['kind']),
      namespaced: entry['namespaced'] === true,
      verbs: textsIn(entry['verbs']),
      subresources: subresources.get(name) ?? [],
    }));
}

/** Returns the resources that have a name, kind and version. Throws when there are too many. */
function checked(resources: readonly MappedResource[]): MappedResource[] {
  if (resources.length > maxResources) throw new ExpectedError(`the server has more than ${maxResources} resources`);
  return resources.filter(({ version, resource, kind }) => version !== '' && resource !== '' && kind !== '');
}

/** Returns a cache of the discovery, which is read again by `refresh` or for an unknown kind. Concurrent calls share one request. `now`: milliseconds. */
export function createMapper(fetch: Fetch, now: () => number): ResourceMapper {
  let known: Promise<readonly MappedResource[]> | undefined;
  let fetched = 0;
  let byKind = new Map<string, MappedResource>();

  function load(): Promise<readonly MappedResource[]> {
    fetched = now();
    const loading = discover(fetch).then(resources => {
      byKind = new Map(resources.map(resource => [gvkText(resource), resource]));
      return resources;
    });
    known = loading;
    // The caller gets the error; the next call tries again.
    loading.catch(() => {
      if (known === loading) known = undefined;
    });
    return loading;
  }

  return {
    resources: () => known ?? load(),
    async forKind(kind: GroupVersionKind) {
      await (known ?? load());
      const found = byKind.get(gvkText(kind));
      if (found || now() - fetched < refreshMs) return found;
      await load();
      return byKind.get(gvkText(kind));
    },
    async refresh() {
      await load();
    },
  };
}
