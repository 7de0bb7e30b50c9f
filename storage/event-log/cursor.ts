import { StorageError } from '../error.js';
import type { Change, Company, Cursor, Revision } from '../interface.js';
import { iterate } from '../iterate.js';
import type { Entry, History, KeyChange } from './history.js';
import { keyOf } from './key-of.js';

/** One change in the chain of those that concern a selection. */
export interface Link<V> {
  readonly entry: Entry<V> | undefined;
  next: Link<V> | undefined;
}

/** Those who follow one chain. */
export interface Followed<V> {
  /** The end of the chain as it is now. */
  readonly tail: Link<V>;
  /** Woken when the chain grows. */
  readonly watchers: Set<Watcher>;
  /** Not woken then. */
  readonly resting: Set<Watcher>;
}

export interface Watcher {
  /** Something may be there to deliver. */
  wake(): void;
  /** A progress change is wanted as soon as everything before it is delivered. */
  wantProgress(): void;
  /** The place of the change it delivers next. */
  pending(): number;
  /** Ends it: with an error, or cleanly. */
  end(error: StorageError | undefined): void;
}

export function tooSlow<V>(history: History<V>): StorageError {
  history.leftBehind();
  const text = 'the watcher was too slow: the changes it has not taken are forgotten';
  return new StorageError('compacted', text, { revision: history.floor });
}

const forgotten = (from: Revision, floor: Revision): StorageError =>
  new StorageError('compacted', `changes after revision ${from} are forgotten up to ${floor}`, { revision: floor });

/** The last word before a change is delivered: how it looks from outside, or the error that ends the watch instead. */
export type Outgoing<V> = (change: KeyChange<V>) => KeyChange<V> | StorageError;

export interface CursorOptions<V> {
  readonly history: History<V>;
  /** The newest revision. */
  readonly head: () => Revision;
  readonly outgoing: Outgoing<V> | undefined;
  readonly from: Revision;
  readonly signal: AbortSignal;
  readonly concerns: (key: string) => boolean;
  /** The watcher is woken when the chain grows. */
  readonly join: (watcher: Watcher) => Followed<V>;
  readonly leave: (watcher: Watcher) => void;
  /** Takes what asks it to tell how far it is, as soon as all before is told. Progress is then told when it is asked for, and only then. */
  readonly asked: ((ask: () => void) => void) | undefined;
  /** Begins there, and not with the history. */
  readonly after?: Link<V>;
}

const nobody = (): void => undefined;

/**
 * A position in the history: first it looks through the retained changes after `from`, up to where the history was when it began; from there on it
 * follows the chain of the changes that concern it. Woken by a change, by a request for progress, or by the end.
 */
export function createCursor<V>(options: CursorOptions<V>): Cursor<Change<V>> {
  const { history, head, outgoing, from, signal, concerns } = options;
  let state: 'new' | 'open' | 'ended' = 'new';
  let followed: Followed<V> | undefined;
  let company: Company<Change<V>> | undefined;
  let failure: StorageError | undefined;
  /** Catching up: places of the history that are still to be looked through. Then: the chain. */
  let place = 0;
  let caughtUpAt = 0;
  let last: Link<V> = { entry: undefined, next: undefined };
  let progressWanted = false;
  let asked = false;
  let told = from;
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
      asked = true;
      ready();
    });
  }

  function deliver(change: KeyChange<V>): IteratorResult<Change<V>, undefined> {
    told = change.revision;
    const value = outgoing === undefined ? change : outgoing(change);
    if (!(value instanceof StorageError)) return { value, done: false };
    finish(undefined);
    throw value;
  }

  /** What comes next, if it is there. hot: a catching-up watcher looks at each change once, a live one only at its own. */
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
    if (!asked && (!progressWanted || head() <= told)) {
      progressWanted = false;
      return undefined;
    }
    asked = progressWanted = false;
    told = head() > told ? head() : told;
    return { value: { type: 'progress', revision: told }, done: false };
  }

  const companyOf = (channel: Followed<V>): Company<Change<V>> => ({
    channel,
    isAccompanied: () => channel.watchers.size + channel.resting.size > 1,
    // Who waits for a revision to come is not to be told what comes before.
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
      createCursor({ ...options, from: told, signal: new AbortController().signal, asked: nobody, after: last }),
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
