import { StorageError, type StorageErrorCode } from '../../storage/error.js';
import type { Backend } from '../../storage/interface.js';

/** A wrapper of a real backend whose watches and reads can be made to fail. */
export interface Faulty extends Backend {
  /** Ends running watches with the error. */
  breakWatches(code: StorageErrorCode): void;
  /** While set, ranges and new watches fail or wait. */
  outage: { readonly code: StorageErrorCode } | undefined;
  /** Switches to another store, as after a restore. */
  replace(backend: Backend): void;
  /** Number of started watches. */
  readonly watches: number;
}

export function faulty(first: Backend): Faulty {
  let backend = first;
  let breaking = new AbortController();
  let watches = 0;
  const fault = (code: StorageErrorCode): StorageError => new StorageError(code, `made to fail: ${code}`);
  const self: Faulty = {
    outage: undefined,
    get watches() {
      return watches;
    },
    breakWatches(code) {
      const broken = breaking;
      breaking = new AbortController();
      broken.abort(fault(code));
    },
    replace(next) {
      backend = next;
    },
    get: (key, options) => backend.get(key, options),
    async range(prefix, options) {
      if (self.outage !== undefined) throw fault(self.outage.code);
      return backend.range(prefix, options);
    },
    put: (key, expect, value, options) => backend.put(key, expect, value, options),
    remove: (key, expect) => backend.remove(key, expect),
    async *watch(prefix, from, signal) {
      if (self.outage !== undefined) throw fault(self.outage.code);
      watches++;
      const { signal: broken } = breaking;
      for await (const change of backend.watch(prefix, from, AbortSignal.any([signal, broken]))) {
        yield change;
        if (broken.aborted) break;
      }
      if (broken.aborted && !signal.aborted) throw broken.reason;
    },
    revision: () => backend.revision(),
    ...(first.past && { past: (prefix, from, to) => backend.past?.(prefix, from, to) ?? Promise.resolve([]) }),
    requestProgress: prefix => backend.requestProgress(prefix),
    compact: upTo => backend.compact(upTo),
    health: () => backend.health(),
    close: () => backend.close(),
  };
  return self;
}
