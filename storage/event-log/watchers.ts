import type { StorageError } from '../error.js';
import type { Change, Revision } from '../interface.js';
import type { WatchStream } from '../watch-stream.js';
import { type Chain, type Link, LogStream, type Outgoing, type Watcher, tooSlow } from './log-stream.js';
import type { Entry, History } from './history.js';
import { keyOf } from './key-of.js';

export interface WatchOptions {
  /** Only changes of exactly this key (below the prefix). */
  readonly key?: string;
  /** See `LogStreamOptions.asked`. */
  readonly asked?: (ask: () => void) => void;
}

/**
 * The changes of one selection, as a chain. A watcher holds the link that it delivered last; earlier links are garbage, and a change that
 * no watcher selects is not linked.
 *
 *     a change of /registry/pods/ns/p is linked to those of these channels that are watched
 *         below /   below /registry/   below /registry/pods/   below /registry/pods/ns/   at /registry/pods/ns/p
 */
interface Channel<V> extends Chain<V> {
  tail: Link<V>;
}

export interface Watchers<V> {
  /** Links the entry to the channels that it matches. Wakes nothing yet. */
  add(entry: Entry<V>): void;
  /** Wakes the watchers of these channels: what was added is part of the state now. */
  publish(): void;
  /** Ends watchers that fell behind the history. */
  endStale(): void;
  requestProgress(prefix: string): void;
  requestAllProgress(): void;
  watch(prefix: string, from: Revision, signal: AbortSignal, options?: WatchOptions): WatchStream<Change<V>>;
  /** Ends all watches: with an error, or cleanly. */
  end(error?: StorageError): void;
  readonly count: number;
}

/** Returns the channel name of a prefix, or of a key; the two never collide. */
const below = (prefix: string): string => `<${prefix}`;
const at = (key: string): string => `=${key}`;

export function createWatchers<V>(history: History<V>, head: () => Revision, outgoing?: Outgoing<V>): Watchers<V> {
  const channels = new Map<string, Channel<V>>();
  /** Watched prefixes that do not end with a slash, which cannot be found from a key's slashes. */
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
      channel = { tail: { entry: undefined, next: undefined }, watchers: new Set(), suspended: new Set() };
      channels.set(name, channel);
      if (name === below(prefix) && !prefix.endsWith('/')) oddPrefixes.add(prefix);
    }
    channel.watchers.add(watcher);
    count++;
    return channel;
  }

  function leave(name: string, prefix: string, watcher: Watcher): void {
    const channel = channels.get(name);
    if (!channel || !(channel.watchers.delete(watcher) || channel.suspended.delete(watcher))) return;
    count--;
    if (channel.watchers.size + channel.suspended.size > 0) return;
    channels.delete(name);
    if (name === below(prefix)) oddPrefixes.delete(prefix);
  }

  function watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    { key, asked }: WatchOptions = {},
  ): WatchStream<Change<V>> {
    const name = key === undefined ? below(prefix) : at(key);
    return new LogStream({
      history,
      head,
      outgoing,
      from,
      signal,
      matches: changed => (key === undefined ? changed.startsWith(prefix) : changed === key),
      join: watcher => join(name, prefix, watcher),
      leave: watcher => leave(name, prefix, watcher),
      asked,
    });
  }

  function all(): Watcher[] {
    return [...channels.values()].flatMap(channel => [...channel.watchers, ...channel.suspended]);
  }

  return {
    add(entry) {
      const key = keyOf(entry.change);
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
        if (watcher.pending() < history.firstPlace) watcher.end(tooSlow(history));
      }
    },
    requestProgress(prefix) {
      for (const watcher of channels.get(below(prefix))?.watchers ?? []) watcher.wantProgress();
    },
    requestAllProgress() {
      for (const watcher of all()) watcher.wantProgress();
    },
    watch,
    end(error) {
      for (const watcher of all()) watcher.end(error);
    },
    get count() {
      return count;
    },
  };
}
