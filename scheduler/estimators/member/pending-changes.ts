import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { eachInTurns, nextTurn } from '../../../lib/time-slice.js';

/** Passes the changes of a mirror on in time slices. */
export class PendingChanges<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #apply: (key: Key, object: T | undefined) => void;
  readonly #unsubscribe: () => void;
  #keys = new Set<Key>();
  #applying: Promise<void> | undefined;
  /** The first error of `apply` that no caller of `settled` has seen yet. */
  #failure: { readonly error: unknown } | undefined;

  /**
   * `apply` takes the present state of an object; undefined after a deletion. An object for which it throws is left out until its next change, and
   * delays no other.
   */
  constructor(informer: Informer<T>, apply: (key: Key, object: T | undefined) => void) {
    this.#informer = informer;
    this.#apply = apply;
    this.#unsubscribe = informer.onChange(({ key }) => {
      this.#keys.add(key);
      this.#applying ??= this.#applyAll();
    });
  }

  /** Resolves when the existing objects and all changes so far were passed on. Rejects once after an error of `apply`. */
  async settled(): Promise<void> {
    await this.#informer.replayed;
    await this.#applying;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  end(): void {
    this.#unsubscribe();
    this.#keys.clear();
  }

  /** Never rejects. */
  async #applyAll(): Promise<void> {
    await nextTurn();
    while (this.#keys.size > 0) {
      const keys = this.#keys;
      this.#keys = new Set();
      await eachInTurns(keys, key => this.#applyOne(key));
    }
    this.#applying = undefined;
  }

  #applyOne(key: Key): void {
    try {
      this.#apply(key, this.#informer.get(key));
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
