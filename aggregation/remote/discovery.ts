import { ExpectedError } from '../../lib/logging/cause.js';
import type { GroupVersionKind, GroupVersionResource } from '../../apimachinery/interface.js';
import { apiVersionOf, gvkText } from '../../apimachinery/meta/gvk.js';
import type { MappedResource } from '../../client/interface.js';
import type { Discovery, RemoteMapper } from '../interface.js';
import { maxResources } from './limits.js';

/** The answer of a discovery root: `/api` or `/apis`. */
export interface RootDocument {
  readonly document: unknown;
  /** Absent if the server does not support conditional requests. */
  readonly etag?: string | undefined;
}

/** Reads the discovery documents of a server. Both functions reject with StatusError. */
interface DiscoverySource {
  /** Resolves with undefined if the document still has the given ETag. */
  root(path: string, accept: string, etag: string | undefined): Promise<RootDocument | undefined>;
  document(path: string): Promise<unknown>;
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
/** Milliseconds after which an unknown kind causes a new discovery, since it may have been added meanwhile. */
const refreshMs = 10_000;
/** Maximum number of group versions that are read from a server without aggregated discovery. */
const maxGroups = 1000;
const rootPaths = ['/api', '/apis'] as const;

/** What a root says about its groups. */
interface Part {
  readonly resources: readonly MappedResource[];
  /** The group versions whose resources are not known now, with the reason. */
  readonly failed: ReadonlyMap<string, unknown>;
}

/** A root as it was last read. */
interface KnownRoot {
  readonly etag: string | undefined;
  readonly part: Part;
}

/**
 * Reads the discovery of one server: by aggregated discovery, or group by group if the server does not support it. Aggregated documents that have
 * not changed are not sent again.
 */
export class DiscoveryReader {
  readonly #source: DiscoverySource;
  #known: readonly (KnownRoot | undefined)[] = [];
  /** The discovery that the known roots give. */
  #last: Discovery | undefined;

  constructor(source: DiscoverySource) {
    this.#source = source;
  }

  /**
   * Returns all resources of the server, preferred versions first; the same object as before if nothing has changed. A group that fails does not
   * hide the others. Rejects if all groups fail. as client-go discovery ServerGroupsAndResources
   */
  async read(): Promise<Discovery> {
    const before = this.#known;
    const roots = await Promise.all(rootPaths.map((path, i) => this.#root(path, before[i])));
    if (this.#last && roots.every((root, i) => root === before[i])) return this.#last;
    const found = combined(roots.map(({ part }) => part));
    this.#known = roots;
    this.#last = found;
    return found;
  }

  async #root(path: string, known: KnownRoot | undefined): Promise<KnownRoot> {
    const answer = await this.#source.root(path, aggregated, known?.etag);
    if (!answer) {
      if (!known) throw new ExpectedError(`the server has not sent ${path}`);
      return known;
    }
    const { document, etag } = answer;
    if (isAggregated(document)) return { etag, part: fromAggregated(document) };
    const read = (path: string): Promise<unknown> => this.#source.document(path);
    return { etag: undefined, part: await legacy(groupVersionsIn(document), read) };
  }
}

/** Returns the discovery of all roots. Throws if no group could be read, or if there are too many resources. */
function combined(parts: readonly Part[]): Discovery {
  const resources = checked(parts.flatMap(part => part.resources));
  const failed = new Map(parts.flatMap(part => [...part.failed]));
  if (failed.size > maxGroups) throw new ExpectedError(`the server has more than ${maxGroups} groups`);
  const [first] = failed;
  if (resources.length === 0 && first) throw first[1];
  return { resources, failed: [...failed.keys()] };
}

type Plain = Readonly<Record<string, unknown>>;
type GroupVersion = Pick<MappedResource, 'group' | 'version'>;

const plain = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : {});
/** Returns the objects of a list; none if the value is no list. */
const objects = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.map(plain) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];

const isAggregated = (document: unknown): boolean => plain(document)['kind'] === 'APIGroupDiscoveryList';

function fromAggregated(list: unknown): Part {
  const found: MappedResource[] = [];
  const failed = new Map<string, unknown>();
  for (const { metadata, versions } of objects(plain(list)['items'])) {
    const group = text(plain(metadata)['name']);
    for (const { version, resources, freshness } of objects(versions)) {
      const groupVersion = { group, version: text(version) };
      // An aggregator could not read this version from the server behind it. as client-go discovery SplitGroupsAndResources
      if (freshness === 'Stale') {
        const name = apiVersionOf(groupVersion);
        failed.set(name, new ExpectedError(`stale GroupVersion discovery: ${name}`));
      } else found.push(...objects(resources).map(resource => fromEntry(groupVersion, resource)));
    }
  }
  return { resources: found, failed };
}

const fromEntry = (
  { group, version }: GroupVersion,
  { resource, responseKind, scope, verbs, subresources }: Plain,
): MappedResource => ({
  ...{ group, version, resource: text(resource) },
  kind: text(plain(responseKind)['kind']),
  namespaced: scope === 'Namespaced',
  verbs: textsIn(verbs),
  subresources: objects(subresources).map(({ subresource }) => text(subresource)),
});

/** Returns the group versions of a root document without aggregated discovery. */
function groupVersionsIn(root: unknown): GroupVersion[] {
  return [
    ...textsIn(plain(root)['versions']).map(version => ({ group: '', version })),
    ...objects(plain(root)['groups']).flatMap(({ name, versions }) =>
      objects(versions).map(({ version }) => ({ group: text(name), version: text(version) })),
    ),
  ];
}

async function legacy(groupVersions: readonly GroupVersion[], read: (path: string) => Promise<unknown>): Promise<Part> {
  if (groupVersions.length > maxGroups) throw new ExpectedError(`the server has more than ${maxGroups} groups`);
  const documents = await Promise.allSettled(
    groupVersions.map(async ({ group, version }) => {
      const root = group === '' ? '/api' : `/apis/${encodeURIComponent(group)}`;
      return fromLegacy(group, version, await read(`${root}/${encodeURIComponent(version)}`));
    }),
  );
  const failed = new Map<string, unknown>();
  const resources = documents.flatMap((document, i) => {
    if (document.status === 'fulfilled') return document.value;
    failed.set(apiVersionOf(groupVersions[i] as GroupVersion), document.reason);
    return [];
  });
  return { resources, failed };
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

/** Caches the discovery of a server, and reads it again on `refresh` or for an unknown kind. Concurrent calls share one request. */
class CachedDiscovery implements RemoteMapper {
  readonly #reader: DiscoveryReader;
  readonly #now: () => number;
  #loading: Promise<Discovery> | undefined;
  #fetched = 0;
  #last: Discovery | undefined;
  /** The known resources: those of `#last`, and the earlier ones of group versions that fail now. */
  #resources: readonly MappedResource[] = [];
  #byKind: ReadonlyMap<string, MappedResource> = new Map();

  constructor(source: DiscoverySource, now: () => number) {
    this.#reader = new DiscoveryReader(source);
    this.#now = now;
  }

  async resources(): Promise<readonly MappedResource[]> {
    await (this.#loading ?? this.refresh());
    return this.#resources;
  }

  async forKind(kind: GroupVersionKind): Promise<MappedResource | undefined> {
    await (this.#loading ?? this.refresh());
    let found = this.#byKind.get(gvkText(kind));
    if (!found && this.#now() - this.#fetched >= refreshMs) {
      await this.refresh();
      found = this.#byKind.get(gvkText(kind));
    }
    const groupVersion = apiVersionOf(kind);
    // "Unknown" must not be taken for "not served", which would release an object that still exists.
    if (!found && this.#last?.failed.includes(groupVersion))
      throw new ExpectedError(`unable to retrieve the complete list of server APIs: ${groupVersion}`);
    return found;
  }

  refresh(): Promise<Discovery> {
    this.#fetched = this.#now();
    const loading = this.#reader.read().then(found => this.#take(found));
    this.#loading = loading;
    // The caller gets the error; the next call tries again.
    loading.catch(() => {
      if (this.#loading === loading) this.#loading = undefined;
    });
    return loading;
  }

  async lacks({ group, version, resource }: GroupVersionResource): Promise<boolean> {
    const { resources, failed } = await this.refresh();
    // Every API server has resources: a discovery without any is the answer of something else.
    if (resources.length === 0 || failed.includes(apiVersionOf({ group, version }))) return false;
    return !resources.some(each => each.resource === resource && each.group === group && each.version === version);
  }

  #take(found: Discovery): Discovery {
    if (found === this.#last) return found;
    const failed = new Set(found.failed);
    // The limit is for a server that shows other resources in every answer.
    const kept =
      failed.size === 0
        ? []
        : this.#resources.filter(resource => failed.has(apiVersionOf(resource))).slice(0, maxResources);
    this.#last = found;
    this.#resources = kept.length === 0 ? found.resources : [...found.resources, ...kept];
    this.#byKind = new Map(this.#resources.map(resource => [gvkText(resource), resource]));
    return found;
  }
}

/** Returns the mapper of a server. `now`: milliseconds. */
export const createMapper = (source: DiscoverySource, now: () => number): RemoteMapper =>
  new CachedDiscovery(source, now);
