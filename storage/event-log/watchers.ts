import type { StorageError } from '../error.js';
import type { Change, Revision } from '../interface.js';
import type { WatchStream } from '../watch-stream.js';
import { type Chain, type Link, LogStream, type Outgoing, type Watcher, tooSlow } from './log-stream.js';
import type { Entry, History } from './history.js';
import { changedKey } from './changed-key.js';

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

/** Returns the channel name of a prefix, or of a key; the two never collide. */
const below = (prefix: string): string => `<${prefix}`;
const at = (key: string): string => `=${key}`;

/** The watchers of an event log. */
export class Watchers<V> {
  readonly #history: History<V>;
  readonly #head: () => Revision;
  readonly #outgoing: Outgoing<V> | undefined;
  readonly #channels = new Map<string, Channel<V>>();
  /** Watched prefixes that do not end with a slash, which cannot be found from a key's slashes. */
  readonly #oddPrefixes = new Set<string>();
  /** Channels with changes that their watchers do not know of yet. */
  #touched = new Set<Channel<V>>();
  #count = 0;

  /** `head` returns the newest revision. */
  constructor(history: History<V>, head: () => Revision, outgoing?: Outgoing<V>) {
    this.#history = history;
    this.#head = head;
    this.#outgoing = outgoing;
  }

  get count(): number {
    return this.#count;
  }

  /** Links the entry to the channels that it matches. Wakes nothing yet. */
  add(entry: Entry<V>): void {
    const key = changedKey(entry.change);
    this.#link(at(key), entry);
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      this.#link(below(key.slice(0, slash + 1)), entry);
    }
    for (const prefix of this.#oddPrefixes) if (key.startsWith(prefix)) this.#link(below(prefix), entry);
  }

  /** Wakes the watchers of these channels: what was added is part of the state now. */
  publish(): void {
    if (this.#touched.size === 0) return;
    const concerned = this.#touched;
    this.#touched = new Set();
    for (const channel of concerned) for (const watcher of [...channel.watchers]) watcher.wake();
  }

  /** Ends watchers that fell behind the history. */
  endStale(): void {
    for (const watcher of this.#all()) {
      if (watcher.pending() < this.#history.firstPlace) watcher.end(tooSlow(this.#history));
    }
  }

  requestProgress(prefix: string): void {
    for (const watcher of this.#channels.get(below(prefix))?.watchers ?? []) watcher.wantProgress();
  }

  requestAllProgress(): void {
    for (const watcher of this.#all()) watcher.wantProgress();
  }

  watch(
    prefix: string,
    from: Revision,
    signal: AbortSignal,
    { key, asked }: WatchOptions = {},
  ): WatchStream<Change<V>> {
    const name = key === undefined ? below(prefix) : at(key);
    return new LogStream({
      history: this.#history,
      head: this.#head,
      outgoing: this.#outgoing,
      from,
      signal,
      matches: changed => (key === undefined ? changed.startsWith(prefix) : changed === key),
      join: watcher => this.#join(name, prefix, watcher),
      leave: watcher => this.#leave(name, prefix, watcher),
      asked,
    });
  }

  /** Ends all watches: with an error, or cleanly. */
  end(error?: StorageError): void {
    for (const watcher of this.#all()) watcher.end(error);
  }

  #link(name: string, entry: Entry<V>): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const added: Link<V> = { entry, next: undefined };
    channel.tail.next = added;
    channel.tail = added;
    this.#touched.add(channel);
  }

  #join(name: string, prefix: string, watcher: Watcher): Channel<V> {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { tail: { entry: undefined, next: undefined }, watchers: new Set(), suspended: new Set() };
      this.#channels.set(name, channel);
      if (name === below(prefix) && !prefix.endsWith('/')) this.#oddPrefixes.add(prefix);
    }
    channel.watchers.add(watcher);
    this.#count++;
    return channel;
  }

  #leave(name: string, prefix: string, watcher: Watcher): void {
    const channel = this.#channels.get(name);
    if (!channel || !(channel.watchers.delete(watcher) || channel.suspended.delete(watcher))) return;
    this.#count--;
    if (channel.watchers.size + channel.suspended.size > 0) return;
    this.#channels.delete(name);
    if (name === below(prefix)) this.#oddPrefixes.delete(prefix);
  }

  #all(): Watcher[] {
    return [...this.#channels.values()].flatMap(channel => [...channel.watchers, ...channel.suspended]);
  }
}
