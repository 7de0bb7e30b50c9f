import type { Happened } from '../interface.js';

/**
 * The last writes of this process. Each write is a revision of its own: for revisions that are all in here, etcd need not be queried for what
 * happened.
 */
export interface OwnWrites {
  wrote(key: string, revision: number): void;
  /**
   * Returns what happened below the prefix after `since`, up to and including `to`. hot: reads of a prefix where nothing happens, while others
   * are written.
   */
  happened(prefix: string, since: number, to: number): Happened;
  /** Drops everything: from now on another etcd may answer, or one that was restored. */
  forget(): void;
}

const capacity = 4096;

export function createOwnWrites(): OwnWrites {
  /** Ring buffer: revision r is at index `r % kept`. */
  const revisions = new Float64Array(capacity);
  const keys = new Array<string>(capacity).fill('');
  return {
    wrote(key, revision) {
      revisions[revision % capacity] = revision;
      keys[revision % capacity] = key;
    },
    happened(prefix, since, to) {
      if (to - since > capacity) return 'unknown';
      let found: Happened = 'nothing';
      for (let revision = since + 1; revision <= to; revision++) {
        const at = revision % capacity;
        if (revisions[at] !== revision) return 'unknown';
        if (keys[at]?.startsWith(prefix) === true) found = 'something';
      }
      return found;
    },
    forget: () => void revisions.fill(0),
  };
}
