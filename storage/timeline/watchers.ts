import { StorageError } from '../error.js';
import type { Change, Revision } from '../interface.js';
import type { Entry, History, KeyChange } from './history.js';

export interface WatchOptions {
  /** Only changes of exactly this key (below the prefix). */
  readonly key?: string;
}

/**
 * Changes of one selection, as a chain. A watcher holds the link that it delivered last; links behind it are garbage, and a change that
 * interests nobody is linked nowhere.
 *
 *     a change of /registry/pods/ns/p is linked to the channels (of those being watched)
 *         below /   below /registry/   below /registry/pods/   below /registry/pods/ns/   at /registry/pods/ns/p
 */
interface Channel<V> {
  tail: Link<V>;
  readonly watchers: Set<Watcher>;
}

interface Link<V> {
  readonly entry: Entry<V> | undefined;
  next: Link<V> | undefined;
}

interface Watcher {
  /** Something may be there to deliver. */
  wake(): void;
  /** A progress change is wanted as soon as everything before it is delivered. */
  wantProgress(): void;
  /** The place of the change it delivers next. */
  pending(): number;
  /** Ends it: with an error, or cleanly. */
  end(error: StorageError | undefined): void;
}

export interface Watchers<V> {
  /** Links the entry to whom it concerns. Nobody is woken yet. */
  add(entry: Entry<V>): void;
  /** Wakes whoever `add` concerned: what was added is part of the state now. */
  publish(): void;
  /** Ends watchers that lag behind what the history holds. */
  endStale(): void;
  requestProgress(prefix: string): void;
  requestAllProgress(): void;
  watch(prefix: string, from: Revision, signal: AbortSignal, options?: WatchOptions): AsyncIterable<Change<V>>;
  /** Ends all watches: with an error, or cleanly. */
  end(error?: StorageError): void;
  readonly count: number;
}

const tooSlow = (revision: Revision): StorageError =>
  new StorageError('compacted', 'the watcher was too slow: the changes it has not taken are forgotten', { revision });

const forgotten = (from: Revision, floor: Revision): StorageError =>
  new StorageError('compacted', `changes after revision ${from} are forgotten up to ${floor}`, { revision: floor });

/** Below a prefix: the prefix itself. At a key: marked, so that it never equals a prefix. */
const below = (prefix: string): string => `<${prefix}`;
const at = (key: string): string => `=${key}`;

/** The last word before a change is delivered: how it looks from outside, or the error that ends the watch instead. */
export type Outgoing<V> = (change: KeyChange<V>) => KeyChange<V> | StorageError;

export function createWatchers<V>(history: History<V>, head: () => Revision, outgoing?: Outgoing<V>): Watchers<V> {
  const channels = new Map<string, Channel<V>>();
  /** Watched prefixes that do not end with a slash; they cannot be found from a key by its slashes. */
  const oddPrefixes = new Set<string>();
  let touched = new Set<Channel<V>>();
  let count = 0;

  function link(name: string, entry: Entry<V>): void {
    const channel = channels.get(name);
    if (channel === undefined) return;
    const added: Link<V> = { entry, next: undefined };
    channel.tail.next = added;
    channel.tail = added;
    touched.add(channel);
  }

  function join(name: string, prefix: string, watcher: Watcher): Channel<V> {
    let channel = channels.get(name);
    if (channel === undefined) {
      channel = { tail: { entry: undefined, next: undefined }, watchers: new Set() };
      channels.set(name, channel);
      if (name === below(prefix) && !prefix.endsWith('/')) oddPrefixes.add(prefix);
    }
    channel.watchers.add(watcher);
    count++;
    return channel;
  }

  function leave(name: string, prefix: string, watcher: Watcher): void {
    const channel = channels.get(name);
    if (!channel?.watchers.delete(watcher)) return;
    count--;
    if (channel.watchers.size > 0) return;
    channels.delete(name);
    if (name === below(prefix)) oddPrefixes.delete(prefix);
  }

  function cursor(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    key: string | undefined,
  ): AsyncIterator<Change<V>> {
    const name = key === undefined ? below(prefix) : at(key);
    const concerns = (entry: Entry<V>): boolean => {
      const changed = entry.change.type === 'put' ? entry.change.item.key : entry.change.key;
      return entry.change.revision > from && (key === undefined ? changed.startsWith(prefix) : changed === key);
    };
    let state: 'new' | 'open' | 'ended' = 'new';
    let failure: StorageError | undefined;
    /** Catching up: places of the history that are still to be looked through. Then: the chain. */
    let place = 0;
    let caughtUpAt = 0;
    let last: Link<V> = { entry: undefined, next: undefined };
    let progressWanted = false;
    let told = from;
    let waiter: { resolve(result: IteratorResult<Change<V>>): void; reject(error: unknown): void } | undefined;

    const watcher: Watcher = {
      wake(): void {
        if (waiter === undefined) return;
        const waiting = waiter;
        let result: IteratorResult<Change<V>> | undefined;
        try {
          result = take();
        } catch (error) {
          waiter = undefined;
          waiting.reject(error);
          return;
        }
        if (result === undefined) return;
        waiter = undefined;
        waiting.resolve(result);
      },
      wantProgress(): void {
        progressWanted = true;
        watcher.wake();
      },
      pending: () => (place < caughtUpAt ? place : (last.next?.entry?.place ?? Infinity)),
      end(error): void {
        finish(error);
        watcher.wake();
      },
    };
    const abort = (): void => watcher.end(undefined);

    function finish(error: StorageError | undefined): void {
      if (state === 'ended') return;
      state = 'ended';
      failure = error;
      leave(name, prefix, watcher);
      signal.removeEventListener('abort', abort);
      last = { entry: undefined, next: undefined };
    }

    function open(): void {
      state = 'open';
      if (signal.aborted) return finish(undefined);
      if (from < history.floor) return finish(forgotten(from, history.floor));
      signal.addEventListener('abort', abort, { once: true });
      last = join(name, prefix, watcher).tail;
      place = history.placeAfter(from);
      caughtUpAt = history.nextPlace;
    }

    function deliver(change: KeyChange<V>): IteratorResult<Change<V>> {
      told = change.revision;
      const value = outgoing === undefined ? change : outgoing(change);
      if (!(value instanceof StorageError)) return { value, done: false };
      finish(undefined);
      throw value;
    }

    /** What comes next, if it is there. hot: a catching-up watcher looks at each change once, a live one only at its own. */
    function take(): IteratorResult<Change<V>> | undefined {
      if (state === 'new') open();
      if (state === 'ended') {
        const error = failure;
        failure = undefined;
        if (error !== undefined) throw error;
        return { value: undefined, done: true };
      }
      if (watcher.pending() < history.firstPlace) {
        finish(tooSlow(history.floor));
        return take();
      }
      while (place < caughtUpAt) {
        const entry = history.entry(place++);
        if (entry !== undefined && concerns(entry)) return deliver(entry.change);
      }
      while (last.next !== undefined) {
        last = last.next;
        if (last.entry !== undefined && last.entry.change.revision > from) return deliver(last.entry.change);
      }
      if (!progressWanted) return undefined;
      progressWanted = false;
      if (head() <= told) return undefined;
      told = head();
      return { value: { type: 'progress', revision: told }, done: false };
    }

    return {
      next: () =>
        new Promise((resolve, reject) => {
          if (waiter !== undefined) throw new Error('a watch has one reader');
          waiter = { resolve, reject };
          watcher.wake();
        }),
      return: () => {
        watcher.end(undefined);
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  function all(): Watcher[] {
    return [...channels.values()].flatMap(channel => [...channel.watchers]);
  }

  return {
    add(entry) {
      const { change } = entry;
      const key = change.type === 'put' ? change.item.key : change.key;
      link(at(key), entry);
      for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        link(below(key.slice(0, slash + 1)), entry);
      }
      for (const prefix of oddPrefixes) if (key.startsWith(prefix)) link(below(prefix), entry);
    },
    publish() {
      if (touched.size === 0) return;
      const concerned = touched;
      touched = new Set();
      for (const channel of concerned) for (const watcher of [...channel.watchers]) watcher.wake();
    },
    endStale() {
      for (const watcher of all()) {
        if (watcher.pending() < history.firstPlace) watcher.end(tooSlow(history.floor));
      }
    },
    requestProgress(prefix) {
      for (const watcher of channels.get(below(prefix))?.watchers ?? []) watcher.wantProgress();
    },
    requestAllProgress() {
      for (const watcher of all()) watcher.wantProgress();
    },
    watch: (prefix, from, signal, options) => ({
      [Symbol.asyncIterator]: () => cursor(prefix, from, signal, options?.key),
    }),
    end(error) {
      for (const watcher of all()) watcher.end(error);
    },
    get count() {
      return count;
    },
  };
}
