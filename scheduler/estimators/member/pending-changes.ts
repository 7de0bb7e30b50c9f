import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { eachInTurns, nextTurn } from '../../../lib/time-slice.js';

/** Passes the changes of a mirror on in time slices: the first list comes in one turn of the event loop. */
export class PendingChanges<T extends KubeObject> {
  readonly #informer: Informer<T>;
  readonly #apply: (key: Key, object: T | undefined) => void;
  readonly #unsubscribe: () => void;
  #keys = new Set<Key>();
  #applying: Promise<void> | undefined;

  /** `apply` takes the present state of an object; undefined after a deletion. It must not throw. */
  constructor(informer: Informer<T>, apply: (key: Key, object: T | undefined) => void) {
    this.#informer = informer;
    this.#apply = apply;
    this.#unsubscribe = informer.onChange(({ key }) => {
      this.#keys.add(key);
      this.#applying ??= this.#applyAll();
    });
  }

  /** Resolves when all changes so far were passed on. */
  async settled(): Promise<void> {
    await this.#applying;
  }

  end(): void {
    this.#unsubscribe();
    this.#keys.clear();
  }

  async #applyAll(): Promise<void> {
    await nextTurn();
    while (this.#keys.size > 0) {
      const keys = this.#keys;
      this.#keys = new Set();
      await eachInTurns(keys, key => this.#apply(key, this.#informer.get(key)));
    }
    this.#applying = undefined;
  }
}
