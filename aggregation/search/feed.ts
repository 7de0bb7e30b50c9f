/**
 * What happened to one resource of one member, as far back as is kept. Written by the one who follows the member, read by any number of
 * watchers, each with a cursor of its own.
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
  /** Absent: a bookmark. */
  readonly object: Cached | undefined;
  /** As it stood before. */
  readonly old: Cached | undefined;
}

export interface Cursor {
  /** Throws 410 when the change was dropped meanwhile. */
  next(): Change | undefined;
  /** The feed began anew, or ended. */
  readonly ended: boolean;
}

export interface Feed {
  /** The version at which the mirror stands; undefined before its first list. */
  readonly position: string | undefined;
  /** The mirror was listed anew: what led there is not known. */
  restart(version: string): void;
  /** The mirror shows the change already. */
  push(change: Change): void;
  /** What came after a version. Throws 410 when that is not kept any more. */
  cursor(version: string): Cursor;
  /** Called after every push, restart and end. Returns the unsubscribe. */
  onChange(listener: () => void): () => void;
  end(): void;
}

/** What is kept at most: beyond either, the older half goes. */
const maxChanges = 4096;
const maxBytes = 8 * 1024 * 1024;

/** Whether one resourceVersion of a server came before another. */
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
  const tell = (): void => {
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
      tell();
    },
    push(change) {
      changes.push(change);
      position = change.version;
      bytes += sizeOf(change);
      if (changes.length > maxChanges || bytes > maxBytes) dropOlderHalf();
      tell();
    },
    cursor(version) {
      if (start === undefined || isOlder(version, start)) throw tooOld(version, start ?? '');
      const after = changes.findIndex(change => isOlder(version, change.version));
      let at = first + (after < 0 ? changes.length : after);
      const born = epoch;
      return {
        next() {
          if (born !== epoch) return undefined;
          if (at < first) throw tooOld(version, start ?? '');
          const change = changes[at - first];
          if (change) at++;
          return change;
        },
        get ended() {
          return born !== epoch;
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
      tell();
    },
  };
}
