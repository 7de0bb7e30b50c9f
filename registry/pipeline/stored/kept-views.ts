/** Keeps the converted objects that were used last, within a limit of memory. */
import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Maybe } from '../../../lib/maybe.js';
import { type InSteps, inTimeSlices, nextTurn, Strides } from '../../../lib/time-slice.js';
import type { Stored } from '../interface.js';

/** Bytes of all converted objects that are kept for later requests. */
const maxKeptBytes = 64 * 1024 * 1024;

/** Bytes that a value takes besides its text: an entry of an object, and its hidden class or a slot of a dictionary. */
const valueBytes = 40;

/** Returns about how many bytes a value takes in memory. It may be large. */
function* bytesOf(whole: object): InSteps<number> {
  const strides = new Strides(1000);
  const rest: object[] = [whole];
  let bytes = 0;
  while (rest.length > 0) {
    const value = rest.pop() as Readonly<Record<string, unknown>>;
    bytes += valueBytes;
    // The indexes of a list count as its keys.
    for (const key of Object.keys(value)) {
      const part = value[key];
      bytes += valueBytes + key.length;
      if (typeof part === 'string') bytes += part.length;
      if (typeof part === 'object' && part !== null) rest.push(part);
      if (strides.isOver) yield;
    }
  }
  return bytes;
}

/** A converted object. Only the stored object refers to the view, so that it is in memory no longer than that one. */
class View {
  readonly ref: WeakRef<View> = new WeakRef<View>(this);
  readonly object: WeakRef<KubeObject>;
  /** A strong reference to the object while it is kept. */
  kept: KubeObject | undefined;

  constructor(object: KubeObject) {
    this.object = new WeakRef(object);
  }
}

/**
 * Objects in other versions than the stored one, by the stored object. A request that uses one holds it; besides, the most recently used ones stay in
 * memory up to a limit, so that they are not converted again. What was dropped by this limit is still found while anybody holds it.
 */
export class KeptViews<Version extends object> {
  readonly #views = new WeakMap<Stored, Map<Version, View | Promise<KubeObject>>>();
  readonly #kept: LRUCache<WeakRef<View>, number>;
  readonly #collected = new FinalizationRegistry<WeakRef<View>>(ref => this.#kept.delete(ref));

  constructor(maxBytes = maxKeptBytes) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: bytes => bytes,
      dispose(_, ref) {
        const view = ref.deref();
        if (view) view.kept = undefined;
      },
    });
  }

  /** Bytes of the objects that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /** Returns the object, or the promise of the one that is being converted; undefined if there is neither. */
  find(stored: Stored, version: Version): Maybe<KubeObject> | undefined {
    const found = this.#views.get(stored)?.get(version);
    if (found === undefined || found instanceof Promise) return found;
    this.#kept.get(found.ref);
    return found.object.deref();
  }

  /** Keeps the result of a conversion. Failures are not kept. */
  add(stored: Stored, version: Version, converting: Promise<KubeObject>): void {
    const known = this.#views.get(stored) ?? new Map<Version, View | Promise<KubeObject>>();
    this.#views.set(stored, known);
    known.set(version, converting);
    converting.then(
      object => this.#keep(known, version, object),
      () => known.delete(version),
    );
  }

  async #keep(known: Map<Version, View | Promise<KubeObject>>, version: Version, object: KubeObject): Promise<void> {
    const view = new View(object);
    known.set(version, view);
    this.#collected.register(view, view.ref);
    view.kept = object;
    await nextTurn(); // The answer to the request comes first.
    const bytes = await inTimeSlices(bytesOf(object));
    // An object beyond the whole limit is dropped at once.
    this.#kept.set(view.ref, bytes);
    if (!this.#kept.has(view.ref)) view.kept = undefined;
  }
}
