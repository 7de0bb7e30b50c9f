import type { PrefixActivity } from '../interface.js';

const capacity = 4096;

/**
 * The last writes of this process. Each write is a revision of its own: for revisions that are all in here, etcd need not be queried for what
 * happened.
 */
export class OwnWrites {
  /** Ring buffers: revision r and its key are at index `r % capacity`. */
  readonly #revisions = new Float64Array(capacity);
  readonly #keys = new Array<string>(capacity).fill('');

  wrote(key: string, revision: number): void {
    this.#revisions[revision % capacity] = revision;
    this.#keys[revision % capacity] = key;
  }

  /**
   * Returns what happened below the prefix after `since`, up to and including `to`. hot: reads of a prefix where nothing happens, while others
   * are written.
   */
  happened(prefix: string, since: number, to: number): PrefixActivity {
    if (to - since > capacity) return 'unknown';
    let found: PrefixActivity = 'nothing';
    for (let revision = since + 1; revision <= to; revision++) {
      const at = revision % capacity;
      if (this.#revisions[at] !== revision) return 'unknown';
      if (this.#keys[at]?.startsWith(prefix) === true) found = 'something';
    }
    return found;
  }

  /** Drops everything: from now on another etcd may answer, or one that was restored. */
  forget(): void {
    this.#revisions.fill(0);
  }
}
