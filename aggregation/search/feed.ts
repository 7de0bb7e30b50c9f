/**
 * The recent changes of one resource of one member. It is written by the member's informer, and read by any number of watchers, each with
 * its own cursor.
 *
 *   start          first                        end
 *     |  (gone)      | change  change  change    |        a cursor is an index between first and end
 */
import { expired } from '../../apimachinery/errors/status.js';
import type { Cached } from './cached.js';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The member's resourceVersion after it. */
  readonly version: string;
  /** undefined for a bookmark. */
  readonly object: Cached | undefined;
  /** The previous state. */
  readonly old: Cached | undefined;
}

export interface Cursor {
  /** Returns the next change; undefined if there is none yet. Throws 410 if it has been dropped. */
  next(): Change | undefined;
  /** True after the feed was restarted or ended. */
  readonly ended: boolean;
}

export interface Feed {
  /** The resourceVersion of the mirror; undefined before its first list. */
  readonly position: string | undefined;
  /** Drops all changes after a new list of the mirror, since those before it are not known. */
  restart(version: string): void;
  /** Appends a change that the mirror already contains. */
  push(change: Change): void;
  /** Returns a cursor at the first change after a version. Throws 410 if that has been dropped. */
  cursor(version: string): Cursor;
  /** Calls the listener after every push, restart and end. Returns a function to unsubscribe. */
  onChange(listener: () => void): () => void;
  end(): void;
}

/** Maximum number of changes and bytes; beyond either, the older half is dropped. */
const maxChanges = 4096;
const maxBytes = 8 * 1024 * 1024;

/** Reports whether one resourceVersion of a server is older than another. */
export const isOlder = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

const tooOld = (wanted: string, start: string): Error => expired(`too old resource version: ${wanted} (${start})`);

const sizeOf = ({ object }: Change): number => object?.json.length ?? 0;

export function createFeed(): Feed {
  let changes: Change[] = [];
  let first = 0;
  let start: string | undefined;
  let position: string | undefined;
  let epoch = 0;
  let bytes = 0;
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };

  function dropOlderHalf(): void {
    const count = Math.ceil(changes.length / 2);
    start = changes[count - 1]?.version ?? start;
    changes = changes.slice(count);
    first += count;
    bytes = changes.reduce((sum, change) => sum + sizeOf(change), 0);
  }

  return {
    get position() {
      return position;
    },
    restart(version) {
      first += changes.length;
      changes = [];
      bytes = 0;
      start = position = version;
      epoch++;
      notify();
    },
    push(change) {
      changes.push(change);
      position = change.version;
      bytes += sizeOf(change);
      if (changes.length > maxChanges || bytes > maxBytes) dropOlderHalf();
      notify();
    },
    cursor(version) {
      if (start === undefined || isOlder(version, start)) throw tooOld(version, start ?? '');
      const after = changes.findIndex(change => isOlder(version, change.version));
      let at = first + (after < 0 ? changes.length : after);
      const startEpoch = epoch;
      return {
        next() {
          if (startEpoch !== epoch) return undefined;
          if (at < first) throw tooOld(version, start ?? '');
          const change = changes[at - first];
          if (change) at++;
          return change;
        },
        get ended() {
          return startEpoch !== epoch;
        },
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end() {
      epoch++;
      changes = [];
      bytes = 0;
      start = position = undefined;
      notify();
    },
  };
}
