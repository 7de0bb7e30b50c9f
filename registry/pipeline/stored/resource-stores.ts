import { pathNotFound } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';
import type { Cache } from '../../../storage/cache/interface.js';
import type { CacheCounters } from '../../../storage/cache/counters.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import type { Backend } from '../../../storage/interface.js';
import type { LiveCatalogue } from '../../catalogue/catalogue.js';
import type { ResourceDefinition } from '../../interface.js';
import { type LayoutOptions, layoutOf } from './layout.js';
import { type ObjectKind, observedBackend, type ObserveStore } from './observed-backend.js';
import { indexesOf } from './selectable-fields.js';
import { DeltaCoder } from '../../../lib/compression/delta.js';
import { RecentBytes } from '../../../lib/compression/recent-bytes.js';
import type { EncodedDraft } from './interface.js';
import { type StoredCodec, storedCodec } from './stored.js';
import type { StoredVersion } from './stored-version.js';
import { type KeyedMutex, keyedMutex } from './keyed-mutex.js';

/** The cached objects of one resource. */
export interface ResourceStore {
  readonly definition: ResourceDefinition;
  readonly cache: Cache<StoredVersion, EncodedDraft>;
  readonly codec: StoredCodec;
  /** Serializes writers of one object after a conflict. */
  readonly keyLocks: KeyedMutex;
  /**
   * Calls the listener when the definition of the resource is replaced or removed, immediately if it has been already; watches end then, and
   * clients start new ones. Returns a function that removes the listener. hot: a watch costs the others nothing.
   */
  onEnd(listener: () => void): () => void;
}

export interface ObjectCount extends ObjectKind {
  readonly objects: number;
  /** The newest revision that the cache has seen. */
  readonly seen: number;
  readonly counters: Readonly<CacheCounters>;
}

export interface ResourceStores {
  /** Returns the counts of the caches that are open and filled. */
  counts(): readonly ObjectCount[];
  /**
   * Returns the store of a definition, and opens it on the first call; reads that the cache cannot answer yet go to the backend or wait.
   * Definitions with the same storage share the store. Throws 404 for a definition that is not in the catalogue any more.
   */
  of(definition: ResourceDefinition): ResourceStore;
  close(): Promise<void>;
}

export interface StoresOptions extends LayoutOptions {
  readonly backend: Backend;
  readonly catalogue: LiveCatalogue;
  /** How long a read waits for a revision that the cache has not seen yet, in milliseconds. */
  readonly freshnessTimeoutMs: number;
  readonly observe?: ObserveStore;
  /** Returns the observer of a kind, which is called with the seconds that a read has waited for a revision. */
  readonly observeWait?: (kind: ObjectKind) => (seconds: number) => void;
}

/** A store that is in use until its definition is replaced or removed. */
class OpenStore implements ResourceStore {
  readonly definition: ResourceDefinition;
  readonly cache: Cache<StoredVersion, EncodedDraft>;
  readonly codec: StoredCodec;
  readonly keyLocks = keyedMutex();
  /** As those of an AbortSignal, which searches all listeners when one is added or removed. */
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #ended = false;

  constructor(definition: ResourceDefinition, cache: Cache<StoredVersion, EncodedDraft>, codec: StoredCodec) {
    this.definition = definition;
    this.cache = cache;
    this.codec = codec;
  }

  onEnd(call: () => void): () => void {
    const listener = { call };
    if (this.#ended) call();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls the listeners, and closes the cache. */
  end(): Promise<void> {
    this.#ended = true;
    for (const { call } of this.#listeners) call();
    this.#listeners.clear();
    return this.cache.close();
  }
}

class OpenStores implements ResourceStores {
  readonly #options: StoresOptions;
  /** Stores by the definition that owns the storage. */
  readonly #stores = new Map<ResourceDefinition, OpenStore>();
  readonly #closing = new Set<Promise<void>>();
  readonly #recent = new RecentBytes();
  readonly #coder = new DeltaCoder();
  readonly #unsubscribe: () => void;
  #closed = false;

  constructor(options: StoresOptions) {
    this.#options = options;
    this.#unsubscribe = options.catalogue.onChange(() => this.#endReplaced());
  }

  of(definition: ResourceDefinition): ResourceStore {
    const known = this.#stores.get(definition);
    if (known) return known;
    // The definition of a running request may have been replaced meanwhile: the objects are those of the new one.
    const owner = this.#options.catalogue.byPlural(definition.storageGroup ?? definition.group, definition.plural);
    if (!owner) throw pathNotFound();
    return this.#stores.get(owner) ?? this.#open(owner);
  }

  counts(): readonly ObjectCount[] {
    return [...this.#stores.values()]
      .filter(({ cache }) => cache.seen > 0)
      .map(({ definition: { group, plural }, cache: { size, seen, counters } }) => ({
        ...{ group, resource: plural, objects: size, seen, counters },
      }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    for (const store of [...this.#stores.values()]) this.#end(store);
    await Promise.all(this.#closing);
    this.#recent.close();
  }

  #open(definition: ResourceDefinition): ResourceStore {
    if (this.#closed) throw new StorageError('unavailable', 'the server is stopping');
    const { backend, freshnessTimeoutMs, observe, observeWait } = this.#options;
    const codec = storedCodec(layoutOf(definition, this.#options), this.#recent, this.#coder);
    const kind = { group: definition.group, resource: definition.plural };
    const observed = observe ? observedBackend(backend, observe(kind)) : backend;
    const cache = openCache(observed, `${definition.storagePrefix}/`, codec, {
      sizeOf: stored => stored.heldBytes,
      replaced: (stored, newer) => stored.replaceBy(newer),
      freshnessTimeoutMs,
      ...(observeWait && { waited: observeWait(kind) }),
      indexes: indexesOf(definition),
    });
    const store = new OpenStore(definition, cache, codec);
    this.#stores.set(definition, store);
    return store;
  }

  /** Ends the stores whose definition has been replaced or removed. */
  #endReplaced(): void {
    for (const store of [...this.#stores.values()]) {
      const { group, plural } = store.definition;
      if (this.#options.catalogue.byPlural(group, plural) !== store.definition) this.#end(store);
    }
  }

  #end(store: OpenStore): void {
    this.#stores.delete(store.definition);
    const done = store.end().finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }
}

/** Returns the stores of all resources, each of which is opened with its first use. */
export const createResourceStores = (options: StoresOptions): ResourceStores => new OpenStores(options);
