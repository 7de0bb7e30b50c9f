/** A replaced version that refers weakly to its parsed object. */
interface Forgetful {
  forget(): void;
}

/** The number of versions of a resource. Informers in this process read a replaced object within a few turns of the event loop. */
const size = 32;

/**
 * The versions of a resource that were replaced last, whose parsed objects stay in reach until as many others were replaced: informers compare them
 * with the new ones, and would parse them again. A minor collection treats weak references as strong ones, so all others forget their objects at once.
 */
export class ReplacedObjects {
  readonly #versions: (Forgetful | undefined)[] = new Array<undefined>(size).fill(undefined);
  #next = 0;

  /** hot: once per replaced version. */
  add(version: Forgetful): void {
    this.#versions[this.#next]?.forget();
    this.#versions[this.#next] = version;
    this.#next = (this.#next + 1) % size;
  }
}
