/** A mirror whose objects a test sets. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Informer, InformerFactory, Key, ObjectChange } from '../../../../client/runtime/interface.js';
import { keyOf } from '../../../../client/key.js';

export class SetMirror {
  readonly #objects = new Map<Key, KubeObject>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  /** The number of objects that were read. */
  reads = 0;

  readonly informer: Informer;

  /** Without a first list, `synced` does not resolve. */
  constructor({ hasSynced = true } = {}) {
    this.informer = {
      hasSynced,
      synced: hasSynced ? Promise.resolve() : new Promise<void>(() => undefined),
      get: (key: Key) => {
        this.reads++;
        return this.#objects.get(key);
      },
      onChange: (listener: (change: ObjectChange) => void) => {
        this.#listeners.add(listener);
        for (const key of this.#objects.keys()) this.#tell(listener, key);
        return () => this.#listeners.delete(listener);
      },
    } as Partial<Informer> as Informer;
  }

  get followers(): number {
    return this.#listeners.size;
  }

  set(...objects: readonly KubeObject[]): void {
    for (const object of objects) {
      this.#objects.set(keyOf(object), object);
      this.#tellAll(keyOf(object));
    }
  }

  remove(key: Key): void {
    this.#objects.delete(key);
    this.#tellAll(key);
  }

  #tellAll(key: Key): void {
    for (const listener of this.#listeners) this.#tell(listener, key);
  }

  #tell(listener: (change: ObjectChange) => void, key: Key): void {
    listener({ key, old: undefined, new: this.#objects.get(key), oldCached: undefined, newCached: undefined });
  }
}

/** Returns a factory with these mirrors, by resource. A resource without a mirror has none that gets its first list. */
export function mirrorsOf(mirrors: Readonly<Record<string, SetMirror>>): InformerFactory {
  const unknown = new SetMirror({ hasSynced: false });
  const informer = ({ resource }: { readonly resource: string }) => (mirrors[resource] ?? unknown).informer;
  return { informer, release: () => undefined } as Partial<InformerFactory> as InformerFactory;
}
