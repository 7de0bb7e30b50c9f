import type { GroupVersionResource, KubeList, KubeObject } from '../../apimachinery/interface.js';
import type {
  CachedReader,
  DeleteOptions,
  ListerWatcher,
  ListQuery,
  ObjectKey,
  Patch,
} from '../../client/interface.js';
import type { WatchQuery, WriteOptions } from '../../client/interface.js';
import { systemClock } from '../../lib/clock.js';
import type { Endpoint, PartOf, RawRequest, RawResponse, ReceivedEvent } from '../interface.js';
import type { RemoteClient, RemoteMapper, Scan } from '../interface.js';

/** Milliseconds for which requests with the former credentials may still be under way when new ones are used. */
const defaultGraceMs = 10_000;

/**
 * A client whose credentials can be replaced while it is used. Requests that are under way end with the former ones; watches end some time later, and
 * their mirrors resume from where they were.
 */
export class RenewableClient implements RemoteClient {
  readonly mapper: RemoteMapper;
  readonly cached: CachedReader;
  readonly #open: (endpoint: Endpoint) => RemoteClient;
  readonly #graceMs: number;
  /** Aborts when the client is closed. */
  readonly #closed = new AbortController();
  /** The closing of former clients. */
  readonly #closing = new Set<Promise<void>>();
  #current: RemoteClient;
  #endpoint: Endpoint;

  constructor(endpoint: Endpoint, open: (endpoint: Endpoint) => RemoteClient, graceMs = defaultGraceMs) {
    this.#open = open;
    this.#graceMs = graceMs;
    this.#current = open(endpoint);
    this.#endpoint = endpoint;
    this.mapper = {
      resources: () => this.#current.mapper.resources(),
      forKind: kind => this.#current.mapper.forKind(kind),
      refresh: () => this.#current.mapper.refresh(),
      lacks: resource => this.#current.mapper.lacks(resource),
    };
    this.cached = readerOf(() => this.#current.cached);
  }

  /** The address and the credentials that are used now. */
  get endpoint(): Endpoint {
    return this.#endpoint;
  }

  /** Uses another address or other credentials for what follows. */
  renew(endpoint: Endpoint): void {
    const former = this.#current;
    this.#current = this.#open(endpoint);
    this.#endpoint = endpoint;
    const closing = systemClock.sleep(this.#graceMs, this.#closed.signal).then(() => former.close());
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  get(...args: Parameters<RemoteClient['get']>): Promise<KubeObject> {
    return this.#current.get(...args);
  }

  list(...args: Parameters<RemoteClient['list']>): Promise<KubeList> {
    return this.#current.list(...args);
  }

  each(...args: Parameters<RemoteClient['each']>): ReturnType<RemoteClient['each']> {
    return this.#current.each(...args);
  }

  scan(resource: GroupVersionResource, query: ListQuery, scan: Scan): Promise<void> {
    return this.#current.scan(resource, query, scan);
  }

  events(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncGenerator<ReceivedEvent, void> {
    return this.#current.events(resource, query, signal);
  }

  watch(...args: Parameters<RemoteClient['watch']>): ReturnType<RemoteClient['watch']> {
    return this.#current.watch(...args);
  }

  create(...args: Parameters<RemoteClient['create']>): Promise<KubeObject> {
    return this.#current.create(...args);
  }

  update(resource: GroupVersionResource, draft: KubeObject, write?: WriteOptions): Promise<KubeObject> {
    return this.#current.update(resource, draft, write);
  }

  patch(resource: GroupVersionResource, key: ObjectKey, patch: Patch, write?: WriteOptions): Promise<KubeObject> {
    return this.#current.patch(resource, key, patch, write);
  }

  delete(resource: GroupVersionResource, key: ObjectKey, deletion?: DeleteOptions): Promise<void> {
    return this.#current.delete(resource, key, deletion);
  }

  deleteCollection(resource: GroupVersionResource, query?: ListQuery, deletion?: DeleteOptions): Promise<void> {
    return this.#current.deleteCollection(resource, query, deletion);
  }

  raw(request: RawRequest): Promise<RawResponse> {
    return this.#current.raw(request);
  }

  holding(partOf: PartOf): ListerWatcher {
    // A mirror asks for a reader once, and lists and watches with the credentials that are the current ones then.
    let from: RemoteClient | undefined;
    let holding: ListerWatcher | undefined;
    const current = (): ListerWatcher => {
      if (!holding || from !== this.#current) {
        from = this.#current;
        holding = from.holding(partOf);
      }
      return holding;
    };
    return {
      list: (...args) => current().list(...args),
      watch: (...args) => current().watch(...args),
      cached: readerOf(() => current().cached),
    };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#current.close(), ...this.#closing]);
  }
}

/** Returns the reader of a client that may be replaced. Remote clients have readers. */
function readerOf(current: () => CachedReader | undefined): CachedReader {
  const reader = (): CachedReader => {
    const found = current();
    if (!found) throw new Error('the client has no reader for mirrors');
    return found;
  };
  return {
    list: (...args) => reader().list(...args),
    watch: (...args) => reader().watch(...args),
    getCached: (...args) => reader().getCached(...args),
    listCached: (...args) => reader().listCached(...args),
    lacks: async resource => (await reader().lacks?.(resource)) ?? true,
  };
}
