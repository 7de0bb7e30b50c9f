import { ExpectedError } from '../../lib/logging/cause.js';
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { gvkText } from '../../apimachinery/meta/gvk.js';
import type { MappedResource, ResourceMapper } from '../../client/interface.js';
import { maxResources } from './limits.js';

/** Reads a JSON document of the server; rejects with StatusError. */
export type Fetch = (path: string, accept?: string) => Promise<unknown>;

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
/** A kind that is not known is asked for again after so long: it may have come meanwhile. */
const forgetMs = 10_000;
/** Groups with their versions that a server without aggregated discovery is asked for. */
const maxGroups = 1000;

/** Everything a server serves, preferred versions first: by aggregated discovery, or group by group where a server has none. */
export async function discover(fetch: Fetch): Promise<MappedResource[]> {
  const [core, groups] = await Promise.all([fetch('/api', aggregated), fetch('/apis', aggregated)]);
  const lists = [core, groups].filter(isAggregated);
  return checked(lists.length === 2 ? lists.flatMap(fromAggregated) : await legacy(core, groups, fetch));
}

type Plain = Readonly<Record<string, unknown>>;

const plain = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : {});
/** The objects of a list; none where there is no list. */
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
  const places = [
    ...textsIn(plain(core)['versions']).map(version => ({ group: '', version, path: `/api/${version}` })),
    ...objects(plain(groups)['groups']).flatMap(({ name, versions }) =>
      objects(versions).map(({ version }) => ({
        ...{ group: text(name), version: text(version) },
        path: `/apis/${encodeURIComponent(text(name))}/${encodeURIComponent(text(version))}`,
      })),
    ),
  ];
  if (places.length > maxGroups) throw new ExpectedError(`the server has more than ${maxGroups} groups`);
  const documents = await Promise.allSettled(
    places.map(async ({ group, version, path }) => fromLegacy(group, version, await fetch(path))),
  );
  // One group that cannot be reached must not hide the others (as client-go's partial discovery); that none can be is an error.
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

/** What has no name, kind or version serves nothing; a server with too many resources is not believed. */
function checked(resources: readonly MappedResource[]): MappedResource[] {
  if (resources.length > maxResources) throw new ExpectedError(`the server has more than ${maxResources} resources`);
  return resources.filter(({ version, resource, kind }) => version !== '' && resource !== '' && kind !== '');
}

/** Discovery, kept until it is asked to be fresh or does not know a kind. Callers at the same time share one round trip. */
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
    // The caller hears of it; who asks next tries again.
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
      if (found || now() - fetched < forgetMs) return found;
      await load();
      return byKind.get(gvkText(kind));
    },
    async refresh() {
      await load();
    },
  };
}
