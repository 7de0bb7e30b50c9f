import { StorageError } from '../error.js';
import type { Change, Company, Cursor, Revision } from '../interface.js';
import { iterate } from '../iterate.js';
import type { Entry, History, KeyChange } from './history.js';
import { keyOf } from './key-of.js';

/** One change in the chain of changes that match a selection. */
export interface Link<V> {
  readonly entry: Entry<V> | undefined;
  next: Link<V> | undefined;
}

/** A chain and the watchers that follow it. */
export interface Followed<V> {
  /** The current end of the chain. */
  readonly tail: Link<V>;
  /** Watchers that are woken when the chain grows. */
  readonly watchers: Set<Watcher>;
  /** Watchers that are not woken: another one reads for them. */
  readonly resting: Set<Watcher>;
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

export function tooSlow<V>(history: History<V>): StorageError {
  history.countSlow();
  const text = 'the watcher was too slow: the changes it has not taken are forgotten';
  return new StorageError('compacted', text, { revision: history.floor });
}

const forgotten = (from: Revision, floor: Revision): StorageError =>
  new StorageError('compacted', `changes after revision ${from} are forgotten up to ${floor}`, { revision: floor });

/** Converts a change just before it is delivered; an error ends the watch instead. */
export type Outgoing<V> = (change: KeyChange<V>) => KeyChange<V> | StorageError;

export interface CursorOptions<V> {
  readonly history: History<V>;
  /** Returns the newest revision. */
  readonly head: () => Revision;
  readonly outgoing: Outgoing<V> | undefined;
  readonly from: Revision;
  readonly signal: AbortSignal;
  readonly matches: (key: string) => boolean;
  /** Adds the watcher to its chain, which wakes it when it grows. */
  readonly join: (watcher: Watcher) => Followed<V>;
  readonly leave: (watcher: Watcher) => void;
  /** Called with a function that requests a progress change after all changes before it. Progress is then delivered on request only. */
  readonly asked: ((ask: () => void) => void) | undefined;
  /** Begins after this link instead of with the history. */
  readonly after?: Link<V>;
}

const noop = (): void => undefined;

/**
 * Creates a position in the history. It first reads the retained changes after `from`, up to the end of the history when it began; from there it
 * follows the chain of matching changes. It is woken by a change, by a request for progress, and by its end.
 */
export function createCursor<V>(options: CursorOptions<V>): Cursor<Change<V>> {
  const { history, head, outgoing, from, signal, matches: concerns } = options;
  let state: 'new' | 'open' | 'ended' = 'new';
  let followed: Followed<V> | undefined;
  let company: Company<Change<V>> | undefined;
  let failure: StorageError | undefined;
  /** The next place of the history to read, and where it ended at the start. After that the cursor follows the chain. */
  let place = 0;
  let caughtUpAt = 0;
  let last: Link<V> = { entry: undefined, next: undefined };
  let progressWanted = false;
  let requested = false;
  let delivered = from;
  let ready = (): void => undefined;

  const watcher: Watcher = {
    wake: () => ready(),
    wantProgress(): void {
      if (options.asked !== undefined) return;
      progressWanted = true;
      ready();
    },
    pending: () => (place < caughtUpAt ? place : (last.next?.entry?.place ?? Infinity)),
    end(error): void {
      finish(error);
      ready();
    },
  };
  const abort = (): void => watcher.end(undefined);

  function finish(error: StorageError | undefined): void {
    if (state === 'ended') return;
    state = 'ended';
    failure = error;
    options.leave(watcher);
    signal.removeEventListener('abort', abort);
    last = { entry: undefined, next: undefined };
  }

  function open(): void {
    state = 'open';
    if (signal.aborted) return finish(undefined);
    if (from < history.floor) return finish(forgotten(from, history.floor));
    signal.addEventListener('abort', abort, { once: true });
    followed = options.join(watcher);
    last = options.after ?? followed.tail;
    if (options.after === undefined) {
      place = history.placeAfter(from);
      caughtUpAt = history.nextPlace;
    }
    options.asked?.(() => {
      requested = true;
      ready();
    });
  }

  function deliver(change: KeyChange<V>): IteratorResult<Change<V>, undefined> {
    delivered = change.revision;
    const value = outgoing === undefined ? change : outgoing(change);
    if (!(value instanceof StorageError)) return { value, done: false };
    finish(undefined);
    throw value;
  }

  /** Returns the next change, if there is one. hot: a watcher that catches up reads each change once, a live one only its own. */
  function take(): IteratorResult<Change<V>, undefined> | undefined {
    if (state === 'new') open();
    if (state === 'ended') {
      const error = failure;
      failure = undefined;
      if (error !== undefined) throw error;
      return { value: undefined, done: true };
    }
    if (watcher.pending() < history.firstPlace) {
      finish(tooSlow(history));
      return take();
    }
    while (place < caughtUpAt) {
      const entry = history.entry(place++);
      if (entry === undefined || entry.change.revision <= from || !concerns(keyOf(entry.change))) continue;
      return deliver(entry.change);
    }
    while (last.next !== undefined) {
      last = last.next;
      if (last.entry !== undefined && last.entry.change.revision > from) return deliver(last.entry.change);
    }
    if (!requested && (!progressWanted || head() <= delivered)) {
      progressWanted = false;
      return undefined;
    }
    requested = progressWanted = false;
    delivered = head() > delivered ? head() : delivered;
    return { value: { type: 'progress', revision: delivered }, done: false };
  }

  const companyOf = (channel: Followed<V>): Company<Change<V>> => ({
    channel,
    isAccompanied: () => channel.watchers.size + channel.resting.size > 1,
    // A watcher that waits for a future revision must not get the changes before it.
    place: () => (state === 'open' && place >= caughtUpAt && from <= head() ? last : undefined),
    rest() {
      if (channel.watchers.delete(watcher)) channel.resting.add(watcher);
      last = { entry: undefined, next: undefined };
    },
    goOn(at) {
      if (!channel.resting.delete(watcher)) return;
      channel.watchers.add(watcher);
      last = at as Link<V>;
    },
    fork: () =>
      createCursor({ ...options, from: delivered, signal: new AbortController().signal, asked: noop, after: last }),
  });

  if (options.after !== undefined) open();
  const cursor: Cursor<Change<V>> = {
    take,
    onReady(wake) {
      ready = wake;
    },
    close: () => watcher.end(undefined),
    company: () => followed && (company ??= companyOf(followed)),
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}
