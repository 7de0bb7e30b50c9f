import type { Happened } from '../interface.js';

/** What this process wrote last. Each write is a revision of its own: where all revisions are ours, nobody has to ask etcd what happened. */
export interface OwnWrites {
  wrote(key: string, revision: number): void;
  /** What happened below the prefix after `since`, up to and including `to`. hot: reads of a prefix where nothing happens, while others are written. */
  happened(prefix: string, since: number, to: number): Happened;
  /** It may be another etcd, or one that was put back, that answers from now on. */
  forget(): void;
}

const kept = 4096;

export function createOwnWrites(): OwnWrites {
  /** Where `revision % kept` points to. */
  const revisions = new Float64Array(kept);
  const keys = new Array<string>(kept).fill('');
  return {
    wrote(key, revision) {
      revisions[revision % kept] = revision;
      keys[revision % kept] = key;
    },
    happened(prefix, since, to) {
      if (to - since > kept) return 'unknown';
      let found: Happened = 'nothing';
      for (let revision = since + 1; revision <= to; revision++) {
        const at = revision % kept;
        if (revisions[at] !== revision) return 'unknown';
        if (keys[at]?.startsWith(prefix) === true) found = 'something';
      }
      return found;
    },
    forget: () => void revisions.fill(0),
  };
}
