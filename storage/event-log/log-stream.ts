import { StorageError } from '../error.js';
import type { Change, Revision } from '../interface.js';
import { type Sharing, WatchStream } from '../watch-stream.js';
import type { Entry, History, KeyChange } from './history.js';
import { changedKey } from './changed-key.js';

/** One change in the chain of changes that match a selection. */
export interface Link<V> {
  readonly entry: Entry<V> | undefined;
  next: Link<V> | undefined;
}

/** A chain and the watchers that follow it. */
export interface Chain<V> {
  /** The current end of the chain. */
  readonly tail: Link<V>;
  /** Watchers that are woken when the chain grows. */
  readonly watchers: Set<Watcher>;
  /** Watchers that are not woken: another one reads for them. */
  readonly suspended: Set<Watcher>;
}

export interface Watcher {
  /** Reports that a change may be ready. */
  wake(): void;
  /** Requests a progress change after everything before it is delivered. */
  wantProgress(): void;
  /** Returns the place of the change that is delivered next. */
  pending(): number;
  /** Ends the watcher: with an error, or cleanly. */
  end(error: StorageError | undefined): void;
}

/** Counts a watch that ends because it is behind, and returns its error. */
export function tooSlow<V>(history: History<V>): StorageError {
  history.countSlow();
  const text = 'the watcher was too slow: the changes it has not taken are forgotten';
  return new StorageError('compacted', text, { revision: history.floor });
}

const forgotten = (from: Revision, floor: Revision): StorageError =>
  new StorageError('compacted', `changes after revision ${from} are forgotten up to ${floor}`, { revision: floor });

/** Converts a change just before it is delivered; an error ends the watch instead. */
export type Outgoing<V> = (change: KeyChange<V>) => KeyChange<V> | StorageError;

interface LogStreamOptions<V> {
  readonly history: History<V>;
  /** Returns the newest revision. */
  readonly head: () => Revision;
  readonly outgoing: Outgoing<V> | undefined;
  readonly from: Revision;
  readonly signal: AbortSignal;
  readonly matches: (key: string) => boolean;
  /** Adds the watcher to its chain, which wakes it when it grows. */
  readonly join: (watcher: Watcher) => Chain<V>;
  readonly leave: (watcher: Watcher) => void;
  /** Called with a function that requests a progress change after all changes before it. Progress is then delivered on request only. */
  readonly asked: ((ask: () => void) => void) | undefined;
  /** Begins after this link instead of with the history. */
  readonly after?: Link<V>;
}

const noop = (): void => undefined;
const end = { value: undefined, done: true } as const;
const noLink = <V>(): Link<V> => ({ entry: undefined, next: undefined });

/**
 * A position in the event log. It first catches up: it reads the retained changes after `from`, up to the end of the history when it began. From there,
 * live, it follows the chain of matching changes. It is woken by a change, by a request for progress, and by its end.
 */
export class LogStream<V> extends WatchStream<Change<V>> implements Watcher {
  readonly #options: LogStreamOptions<V>;
  #phase: 'new' | 'catch-up' | 'live' | 'ended' = 'new';
  #chain: Chain<V> | undefined;
  #sharing: Sharing<Change<V>> | undefined;
  #failure: StorageError | undefined;
  /** The next place of the history to read while catching up, and where it ended at the start. */
  #place = 0;
  #caughtUpAt = 0;
  /** The last link of the chain that was delivered. */
  #last: Link<V> = noLink();
  #isProgressWanted = false;
  #isRequested = false;
  #delivered: Revision;

  constructor(options: LogStreamOptions<V>) {
    super();
    this.#options = options;
    this.#delivered = options.from;
    if (options.after !== undefined) this.#open();
  }

  wake(): void {
    this.listener();
  }

  wantProgress(): void {
    if (this.#options.asked !== undefined) return;
    this.#isProgressWanted = true;
    this.listener();
  }

  pending(): number {
    return this.#phase === 'catch-up' ? this.#place : (this.#last.next?.entry?.place ?? Infinity);
  }

  end(error: StorageError | undefined): void {
    this.#finish(error);
    this.listener();
  }

  close(): void {
    this.end(undefined);
  }

  /** hot: a watcher that catches up reads each change once, a live one only its own. */
  take(): IteratorResult<Change<V>, undefined> | undefined {
    if (this.#phase === 'new') this.#open();
    const { history } = this.#options;
    if (this.#phase !== 'ended' && this.pending() < history.firstPlace) this.#finish(tooSlow(history));
    if (this.#phase === 'ended') return this.#ending();
    const change = this.#older() ?? this.#newer();
    return change === undefined ? this.#progress() : this.#deliver(change);
  }

  override sharing(): Sharing<Change<V>> | undefined {
    return this.#chain && (this.#sharing ??= this.#sharingOf(this.#chain));
  }

  readonly #abort = (): void => this.end(undefined);

  #open(): void {
    const { history, from, signal, after } = this.#options;
    if (signal.aborted) return this.#finish(undefined);
    if (from < history.floor) return this.#finish(forgotten(from, history.floor));
    signal.addEventListener('abort', this.#abort, { once: true });
    this.#chain = this.#options.join(this);
    this.#last = after ?? this.#chain.tail;
    if (after === undefined) {
      this.#place = history.placeAfter(from);
      this.#caughtUpAt = history.nextPlace;
    }
    this.#phase = this.#place < this.#caughtUpAt ? 'catch-up' : 'live';
    this.#options.asked?.(() => {
      this.#isRequested = true;
      this.listener();
    });
  }

  #finish(error: StorageError | undefined): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#failure = error;
    this.#options.leave(this);
    this.#options.signal.removeEventListener('abort', this.#abort);
    this.#last = noLink();
  }

  #ending(): IteratorResult<Change<V>, undefined> {
    const error = this.#failure;
    this.#failure = undefined;
    if (error !== undefined) throw error;
    return end;
  }

  /** Returns the next change of the history, while there is one to catch up with. */
  #older(): KeyChange<V> | undefined {
    const { history, from, matches } = this.#options;
    while (this.#phase === 'catch-up') {
      const entry = history.entry(this.#place++);
      if (this.#place === this.#caughtUpAt) this.#phase = 'live';
      if (entry !== undefined && entry.change.revision > from && matches(changedKey(entry.change))) return entry.change;
    }
    return undefined;
  }

  /** Returns the next change of the chain. */
  #newer(): KeyChange<V> | undefined {
    while (this.#last.next !== undefined) {
      this.#last = this.#last.next;
      const change = this.#last.entry?.change;
      if (change !== undefined && change.revision > this.#options.from) return change;
    }
    return undefined;
  }

  #deliver(change: KeyChange<V>): IteratorResult<Change<V>, undefined> {
    this.#delivered = change.revision;
    const value = this.#options.outgoing?.(change) ?? change;
    if (!(value instanceof StorageError)) return { value, done: false };
    this.#finish(undefined);
    throw value;
  }

  /** Returns a progress change when one is wanted. */
  #progress(): IteratorResult<Change<V>, undefined> | undefined {
    const head = this.#options.head();
    if (!this.#isRequested && (!this.#isProgressWanted || head <= this.#delivered)) {
      this.#isProgressWanted = false;
      return undefined;
    }
    this.#isRequested = this.#isProgressWanted = false;
    if (head > this.#delivered) this.#delivered = head;
    return { value: { type: 'progress', revision: this.#delivered }, done: false };
  }

  #sharingOf(chain: Chain<V>): Sharing<Change<V>> {
    return {
      channel: chain,
      hasOthers: () => chain.watchers.size + chain.suspended.size > 1,
      // A watcher that waits for a future revision must not get the changes before it.
      position: () => (this.#phase === 'live' && this.#options.from <= this.#options.head() ? this.#last : undefined),
      suspend: () => {
        if (chain.watchers.delete(this)) chain.suspended.add(this);
        this.#last = noLink();
      },
      resume: position => {
        if (!chain.suspended.delete(this)) return;
        chain.watchers.add(this);
        this.#last = position as Link<V>;
      },
      fork: () =>
        new LogStream({
          ...this.#options,
          from: this.#delivered,
          signal: new AbortController().signal,
          asked: noop,
          after: this.#last,
        }),
    };
  }
}
