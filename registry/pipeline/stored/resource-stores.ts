import { pathNotFound } from '../../../apimachinery/errors/status.js';
import { StorageError } from '../../../storage/error.js';
import type { Cache } from '../../../storage/cache/interface.js';
import type { CacheFigures } from '../../../storage/cache/figures.js';
import { openCache } from '../../../storage/cache/open-cache.js';
import type { Backend } from '../../../storage/interface.js';
import type { LiveCatalogue } from '../../catalogue/catalogue.js';
import type { ResourceDefinition } from '../../interface.js';
import type { Stored } from '../interface.js';
import { type LayoutOptions, layoutOf } from './layout.js';
import { type ObjectKind, observedBackend, type ObserveStore } from './observed-backend.js';
import { indexesOf } from '../reads/selection.js';
import { RecentBytes } from './recent-bytes.js';
import type { StoredCodec } from './interface.js';
import { replaceBy, sizeOf, storedCodec } from './stored.js';
import { type KeyedMutex, keyedMutex } from './keyed-mutex.js';

/** The cached objects of one resource. */
export interface ResourceStore {
  readonly definition: ResourceDefinition;
  readonly cache: Cache<Stored>;
  readonly codec: StoredCodec;
  /** Serializes writers of one object after a conflict. */
  readonly turns: KeyedMutex;
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
  readonly figures: Readonly<CacheFigures>;
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

interface Open extends ResourceStore {
  readonly ending: Ending;
}

interface Ending {
  readonly onEnd: ResourceStore['onEnd'];
  end(): void;
}

/** Like an AbortSignal, which searches all listeners when one is added or removed. */
function createEnding(): Ending {
  const listeners = new Set<{ readonly call: () => void }>();
  let ended = false;
  return {
    onEnd(call) {
      const listener = { call };
      if (ended) call();
      else listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end() {
      ended = true;
      for (const { call } of listeners) call();
      listeners.clear();
    },
  };
}

export interface StoresOptions extends LayoutOptions {
  readonly backend: Backend;
  readonly catalogue: LiveCatalogue;
  /** How long a read waits for a revision that the cache has not seen yet, in milliseconds. */
  readonly freshMs: number;
  readonly observe?: ObserveStore;
  /** Returns the observer of a kind, which is called with the seconds that a read has waited for a revision. */
  readonly observeWait?: (kind: ObjectKind) => (seconds: number) => void;
}

export function createResourceStores(options: StoresOptions): ResourceStores {
  const { backend, catalogue, freshMs } = options;
  /** Stores by the definition that owns the storage. */
  const stores = new Map<ResourceDefinition, Open>();
  const closing = new Set<Promise<void>>();
  const recent = new RecentBytes();
  let closed = false;

  function open(definition: ResourceDefinition): ResourceStore {
    if (closed) throw new StorageError('unavailable', 'the server is stopping');
    const ending = createEnding();
    const codec = storedCodec(layoutOf(definition, options), recent);
    const kind = { group: definition.group, resource: definition.plural };
    const observed = options.observe ? observedBackend(backend, options.observe(kind)) : backend;
    const cache = openCache(observed, `${definition.storagePrefix}/`, codec, {
      ...{ sizeOf, replaced: replaceBy, freshMs },
      ...(options.observeWait && { waited: options.observeWait(kind) }),
      indexes: indexesOf(definition),
    });
    const store: Open = { definition, cache, codec, turns: keyedMutex(), ending, onEnd: ending.onEnd };
    stores.set(definition, store);
    return store;
  }

  function end(store: Open): void {
    stores.delete(store.definition);
    store.ending.end();
    const done = store.cache.close().finally(() => closing.delete(done));
    closing.add(done);
  }

  const unsubscribe = catalogue.onChange(() => {
    for (const store of [...stores.values()]) {
      const { group, plural } = store.definition;
      if (catalogue.byPlural(group, plural) !== store.definition) end(store);
    }
  });

  return {
    of(definition) {
      const known = stores.get(definition);
      if (known) return known;
      // The definition of a running request may have been replaced meanwhile: the objects are those of the new one.
      const owner = catalogue.byPlural(definition.storageGroup ?? definition.group, definition.plural);
      if (!owner) throw pathNotFound();
      return stores.get(owner) ?? open(owner);
    },
    counts: () =>
      [...stores.values()]
        .filter(({ cache }) => cache.seen > 0)
        .map(({ definition: { group, plural }, cache: { size, seen, figures } }) => ({
          ...{ group, resource: plural, objects: size, seen, figures },
        })),
    async close() {
      closed = true;
      unsubscribe();
      for (const store of [...stores.values()]) end(store);
      await Promise.all(closing);
      recent.close();
    },
  };
}
