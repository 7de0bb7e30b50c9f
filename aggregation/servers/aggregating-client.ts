import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { serviceUnavailable, StatusError } from '../../apimachinery/errors/status.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type {
  CachedReader,
  Client,
  DeleteOptions,
  ListQuery,
  MappedResource,
  ObjectKey,
  Patch,
  ResourceMapper,
  WatchQuery,
  WriteOptions,
} from '../../client/interface.js';
import { cachedReader } from '../../client/watch/cached-reader.js';

/** The kinds of the servers behind APIServices. */
export interface AggregatedKinds {
  /** Grows with every change of the others. */
  readonly generation: number;
  /** Reports whether another server serves the group version. hot: called with every request of a client in process. */
  serves(group: string, version: string): boolean;
  /** Returns the resources, preferred versions first. Those of a version that cannot be read any more stay as they were. */
  resources(): readonly MappedResource[];
  /** Returns the group versions that cannot be read now, as `example.com/v1`. */
  failed(): readonly string[];
  onChange(listener: () => void): () => void;
}

/** Returns the error for a kind that may exist, since its group version cannot be read. */
const unreadable = (groupVersion: string): Error =>
  new ExpectedError(
    `unable to retrieve the complete list of server APIs: ${groupVersion}: stale GroupVersion discovery: ${groupVersion}`,
  );

class AggregatingMapper implements ResourceMapper {
  readonly #local: ResourceMapper;
  readonly #kinds: AggregatedKinds;

  constructor(local: ResourceMapper, kinds: AggregatedKinds) {
    this.#local = local;
    this.#kinds = kinds;
  }

  async resources(): Promise<readonly MappedResource[]> {
    const aggregated = this.#kinds.resources();
    const local = await this.#local.resources();
    return [...local.filter(({ group, version }) => !this.#kinds.serves(group, version)), ...aggregated];
  }

  async forKind(wanted: GroupVersionKind): Promise<MappedResource | undefined> {
    const { group, version, kind } = wanted;
    if (!this.#kinds.serves(group, version)) return this.#local.forKind(wanted);
    const resources = this.#kinds.resources();
    const found = resources.find(each => each.group === group && each.version === version && each.kind === kind);
    const groupVersion = apiVersionOf(wanted);
    // "Unknown" must not be taken for "not served", which would release what depends on an object that still exists.
    if (!found && this.#kinds.failed().includes(groupVersion)) throw unreadable(groupVersion);
    return found;
  }

  refresh(): Promise<unknown> {
    return this.#local.refresh();
  }

  failed(): readonly string[] {
    return this.#kinds.failed();
  }

  onChange(listener: () => void): () => void {
    return this.#kinds.onChange(listener);
  }
}

/**
 * Returns a reader of resources that are in the discovery of their servers: a 404 does not say that all objects are deleted, since a server that starts
 * answers with it, too.
 */
function discovered(reader: CachedReader): CachedReader {
  const unavailable = (error: unknown): never => {
    throw error instanceof StatusError && error.code === 404 ? serviceUnavailable(error.message) : error;
  };
  return {
    getCached: (resource, key) => reader.getCached(resource, key),
    listCached: (resource, namespace) => reader.listCached(resource, namespace),
    list: (...query) => reader.list(...query).catch(unavailable),
    async *watch(...query) {
      try {
        yield* reader.watch(...query);
      } catch (error) {
        unavailable(error);
      }
    },
  };
}

/** A client in process that reaches the kinds of other servers by another client. */
class AggregatingClient implements Client {
  readonly mapper: ResourceMapper;
  readonly cached: CachedReader;
  readonly #local: Client;
  readonly #kinds: AggregatedKinds;
  readonly #remote: () => Client;

  constructor(local: Client, kinds: AggregatedKinds, remote: () => Client) {
    this.#local = local;
    this.#kinds = kinds;
    this.#remote = remote;
    this.mapper = new AggregatingMapper(local.mapper, kinds);
    const reader = cachedReader(local);
    const at = (resource: GroupVersionResource): CachedReader =>
      this.#isElsewhere(resource) ? discovered(cachedReader(remote())) : reader;
    this.cached = {
      list: (resource, ...rest) => at(resource).list(resource, ...rest),
      watch: (resource, ...rest) => at(resource).watch(resource, ...rest),
      getCached: (resource, key) => at(resource).getCached(resource, key),
      listCached: (resource, namespace) => at(resource).listCached(resource, namespace),
    };
  }

  get(resource: GroupVersionResource, key: ObjectKey, options?: Parameters<Client['get']>[2]): Promise<KubeObject> {
    return this.#at(resource).get(resource, key, options);
  }

  list(resource: GroupVersionResource, query?: ListQuery): ReturnType<Client['list']> {
    return this.#at(resource).list(resource, query);
  }

  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): ReturnType<Client['watch']> {
    return this.#at(resource).watch(resource, query, signal);
  }

  create(
    resource: GroupVersionResource,
    object: KubeObject,
    options?: Parameters<Client['create']>[2],
  ): Promise<KubeObject> {
    return this.#at(resource).create(resource, object, options);
  }

  update(resource: GroupVersionResource, object: KubeObject, options?: WriteOptions): Promise<KubeObject> {
    return this.#at(resource).update(resource, object, options);
  }

  patch(resource: GroupVersionResource, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject> {
    return this.#at(resource).patch(resource, key, patch, options);
  }

  delete(resource: GroupVersionResource, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.#at(resource).delete(resource, key, options);
  }

  deleteCollection(resource: GroupVersionResource, query?: ListQuery, options?: DeleteOptions): Promise<void> {
    return this.#at(resource).deleteCollection(resource, query, options);
  }

  #isElsewhere({ group, version }: GroupVersionResource): boolean {
    return this.#kinds.serves(group, version);
  }

  #at(resource: GroupVersionResource): Client {
    return this.#isElsewhere(resource) ? this.#remote() : this.#local;
  }
}

/** Returns a client of all kinds: those of this server by `local`, and those of others by `remote`, which is called when it is needed. */
export const aggregatingClient = (local: Client, kinds: AggregatedKinds, remote: () => Client): Client =>
  new AggregatingClient(local, kinds, remote);
