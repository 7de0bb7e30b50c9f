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

/** The objects of one resource. */
export interface ResourceStore {
  readonly definition: ResourceDefinition;
  readonly cache: Cache<Stored>;
  readonly codec: StoredCodec;
  /** Of writers of one object that were overtaken. */
  readonly turns: KeyedMutex;
  /**
   * Calls the listener when the resource is defined anew or goes away: watches end, and start over with what is then there; at once when that has
   * happened. Answers how not to be called any more. hot: a watch costs nothing to the others.
   */
  onEnd(listener: () => void): () => void;
}

export interface ObjectCount extends ObjectKind {
  readonly objects: number;
  /** The newest revision that is known. */
  readonly seen: number;
  readonly figures: Readonly<CacheFigures>;
}

export interface ResourceStores {
  /** Of those that are open and read in. */
  counts(): readonly ObjectCount[];
  /**
   * Opened when first asked for; reads that the cache cannot answer yet go to the backend or wait. Definitions that share a storage share
   * the store. Throws 404 for a definition that the catalogue does not have any more.
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

/** As an AbortSignal, which looks through all its listeners for each that comes or goes. */
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
  /** How long a read waits for a revision that is not there yet. */
  readonly freshMs: number;
  readonly observe?: ObserveStore;
  /** Of a kind: is told how many seconds a read waited for what is newer. */
  readonly observeWait?: (kind: ObjectKind) => (seconds: number) => void;
}

export function createResourceStores(options: StoresOptions): ResourceStores {
  const { backend, catalogue, freshMs } = options;
  /** By the definition that owns the storage. */
  const stores = new Map<ResourceDefinition, Open>();
  const closing = new Set<Promise<void>>();
  const recent = new RecentBytes();
  let closed = false;

  function open(definition: ResourceDefinition): ResourceStore {
    if (closed) throw new StorageError('unavailable', 'the server is stopping');
    const ending = createEnding();
    const codec = storedCodec(layoutOf(definition, options), recent);
    const kind = { group: definition.group, resource: definition.plural };
    const seen = options.observe ? observedBackend(backend, options.observe(kind)) : backend;
    const cache = openCache(seen, `${definition.storagePrefix}/`, codec, {
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
      // A request may hold a definition that was replaced meanwhile: its objects are those of the new one.
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
