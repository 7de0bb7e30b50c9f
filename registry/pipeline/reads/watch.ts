import { tooLargeResourceVersion, tooOldResourceVersion } from '../../../apimachinery/errors/status.js';
import { timerMs } from '../../../lib/timer.js';
import { StorageError } from '../../../storage/error.js';
import { cursorOf, late } from '../../../storage/cursor-of.js';
import type { Change, Company, Cursor, Item, Revision } from '../../../storage/interface.js';
import { iterate } from '../../../storage/iterate.js';
import { noRevision } from '../../../storage/revision.js';
import { startingWith } from '../../../storage/starting-with.js';
import type { WatchQuery } from '../../../client/interface.js';
import { type Parts, resourceOf } from '../context.js';
import { requestsStorageVersion } from '../stored/api-versions.js';
import { isConverted, renew, viewAll } from '../stored/converted.js';
import { interpret } from '../errors.js';
import type { RequestScope, Event, Stored } from '../interface.js';
import { placeOf } from './list.js';
import { type WatchPlan, checkWatch, planWatch } from './list-options.js';
import type { ResourceStore } from '../stored/resource-stores.js';
import { everything, type Selection, parseSelectors, selectionOf } from './selection.js';
import { atRevision } from '../stored/stored.js';

/** The last bookmark comes so long before a watch ends, so that it can go on from there. */
const beforeEndMs = 2000;

/** When the next bookmark is due: about every minute, not all at the same moment, and shortly before the end. */
// as apiserver/pkg/storage/cacher cacheWatcher.nextBookmarkTime
function bookmarkTimes(parts: Parts, timeoutSeconds: number | undefined): () => number | undefined {
  const everyMs = 54_000 + ((parts.random(1)[0] ?? 0) / 255) * 12_000;
  if (timeoutSeconds === undefined) return () => everyMs;
  const last = performance.now() + timeoutSeconds * 1000 - beforeEndMs;
  return () => {
    const left = last - performance.now();
    return left < 1 ? undefined : Math.min(everyMs, left);
  };
}

/**
 * Watches objects. Throws at once for parameters that are wrong; what is wrong later is what the cursor ends with. Ends cleanly
 * with the signal, after `timeoutSeconds` (absent: never) and when the resource changes or goes away.
 */
export function watch(parts: Parts, call: RequestScope, query: WatchQuery): Cursor<Event> {
  const selectors = parseSelectors(query);
  checkWatch(query);
  const selection = selectionOf(call.definition, call.version, selectors);
  const plan = planWatch(query);
  const store = parts.stores.of(call.definition);
  const ending = endOf(call, store, query.timeoutSeconds);
  const bookmarks = query.allowWatchBookmarks ? bookmarksAt(bookmarkTimes(parts, query.timeoutSeconds)) : undefined;
  const conclusion: Conclusion = {
    end() {
      bookmarks?.stop();
      ending.release();
    },
    failed(error) {
      conclusion.end();
      return watchError(error, call, query, plan);
    },
  };
  const run = { store, call, plan, selection, bookmarks, signal: ending.signal, conclusion };
  const begun = late(() => begin(run).catch((error: unknown) => Promise.reject(conclusion.failed(error) as Error)));
  const events = closing(begun, () => conclusion.end());
  return call.definition.mixedStorage && requestsStorageVersion(call.definition, call.version)
    ? renewing(events, call)
    : events;
}

/** Who closes it closes this first. */
function closing<T>(cursor: Cursor<T>, first: () => void): Cursor<T> {
  const { close } = cursor;
  cursor.close = () => {
    first();
    close();
  };
  return cursor;
}

interface Conclusion {
  /** However it ends; more than once does no harm. */
  end(): void;
  /** It ends with an error: what that is to whoever watches. */
  failed(error: unknown): unknown;
}

const noConclusion: Conclusion = { end: () => undefined, failed: error => error };

interface Run {
  readonly store: ResourceStore;
  readonly call: RequestScope;
  readonly plan: WatchPlan;
  readonly selection: Selection;
  readonly bookmarks: Bookmarks | undefined;
  readonly signal: AbortSignal;
  readonly conclusion: Conclusion;
}

/** What there is at first, if that is wanted, and then what comes. */
async function begin(run: Run): Promise<Cursor<Event>> {
  const { call, plan, selection, bookmarks, signal } = run;
  const { cache } = run.store;
  const { prefix, key } = placeOf(call, selection);
  const asked = bookmarks?.asked ?? none;
  const follow = (from: Revision): Cursor<Event> => {
    const all = cache.watch(prefix, from, signal, key === undefined ? { asked } : { key, asked });
    const changes = selection.fields && isConverted(call.definition) ? cursorOf(viewed(all, call)) : all;
    return selected(changes, run, cache.seen);
  };
  if (!plan.initial) return follow(plan.from ?? (await cache.revision()));
  const { notBefore } = plan.initial;
  if (cache.seen === noRevision) await filled(cache);
  const { index } = selection;
  const page = await cache.range(key ?? prefix, {
    ...(notBefore !== undefined && { notBefore }),
    ...(index !== undefined && { index }),
  });
  if (selection.fields)
    await viewAll(
      call,
      page.items.map(({ value }) => value),
    );
  cache.figures.initial += page.items.length;
  function* there(): Generator<Event, undefined> {
    for (const item of page.items)
      if ((key === undefined || item.key === key) && selection.matches(item.value)) yield added(item);
    if (bookmarks) yield { type: 'BOOKMARK', revision: page.revision, initialEventsEnd: true };
    return undefined;
  }
  return startingWith(there(), follow(page.revision));
}

/** Changes as this watch sees them. `begun`: how far the cache was when it began. */
function selected(
  changes: Cursor<Change<Stored>>,
  { store, selection, bookmarks, conclusion }: Pick<Run, 'store' | 'selection' | 'bookmarks' | 'conclusion'>,
  begun: Revision,
): Cursor<Event> {
  const { figures } = store.cache;
  // hot: once per event and watcher.
  function next(): ReturnType<Cursor<Event>['take']> {
    for (;;) {
      const result = changes.take();
      if (result === undefined || result.done === true) return result;
      const change = result.value;
      if (change.revision <= begun) figures.initial++;
      const event = change.type === 'progress' ? bookmarks?.next(change.revision) : eventOf(change, selection);
      if (event) return { value: event, done: false };
    }
  }
  let company: Company<Event> | undefined;
  const cursor: Cursor<Event> = {
    take() {
      try {
        const result = next();
        if (result?.done === true) conclusion.end();
        return result;
      } catch (error) {
        throw conclusion.failed(error);
      }
    },
    onReady: wake => changes.onReady(wake),
    close() {
      conclusion.end();
      changes.close();
    },
    company() {
      if (!selection.empty || company) return company;
      const shared = changes.company?.();
      return (company = shared && companyOf(shared, store));
    },
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}

const alike = { selection: everything, bookmarks: undefined, conclusion: noConclusion };

/** The company of those to whom everything is shown. */
const companyOf = (company: Company<Change<Stored>>, store: ResourceStore): Company<Event> => ({
  ...company,
  fork: () => selected(company.fork(), { ...alike, store }, noRevision),
});

/**
 * What there is at first comes from a cache that holds it, not from the store: what happens until the cache is filled the store may have forgotten
 * by then, and the watch could not go on. Throws 'initializing' when that takes too long.
 */
const filled = (cache: ResourceStore['cache']): Promise<unknown> =>
  cache.range('', { notBefore: noRevision, limit: 1 });

const none = (): void => undefined;

interface Bookmarks {
  /** Takes what asks the watch how far it is. */
  asked(ask: () => void): void;
  /** The watch has told everything up to there. */
  next(revision: Revision): Event;
  stop(): void;
}

/** The watch is asked how far it is whenever one is due, and tells it among its changes. */
function bookmarksAt(nextMs: () => number | undefined): Bookmarks {
  let ask: (() => void) | undefined;
  let due = false;
  let timer: NodeJS.Timeout | undefined;
  function arm(): void {
    const ms = nextMs();
    if (ms === undefined) return;
    timer = setTimeout(() => {
      due = true;
      ask?.();
    }, ms).unref();
  }
  arm();
  return {
    asked(given) {
      ask = given;
      if (due) ask();
    },
    next(revision) {
      due = false;
      arm();
      return { type: 'BOOKMARK', revision, initialEventsEnd: false };
    },
    stop: () => clearTimeout(timer),
  };
}

/** Fields are selected in the version of the call: what is converted by somebody else is asked for before it is looked at. */
async function* viewed(
  changes: AsyncIterable<Change<Stored>>,
  call: RequestScope,
): AsyncGenerator<Change<Stored>, void> {
  for await (const change of changes) {
    if (change.type !== 'progress') {
      const states = [change.type === 'put' ? change.item : undefined, change.previous];
      await viewAll(
        call,
        states.flatMap(item => item?.value ?? []),
      );
    }
    yield change;
  }
}

/** What was stored in another version than the one of now comes in that. */
const renewing = (events: Cursor<Event>, call: RequestScope): Cursor<Event> =>
  closing(cursorOf(renewed(events, call)), () => events.close());

async function* renewed(all: AsyncIterable<Event>, { definition }: RequestScope): AsyncGenerator<Event, void> {
  for await (const event of all)
    yield event.type === 'BOOKMARK' ? event : { ...event, stored: await renew(definition, event.stored) };
}

const added = ({ value, revision }: Item<Stored>): Event => ({ type: 'ADDED', stored: value, revision });

/** Returns a change as this selection sees it; undefined when it does not. */
function eventOf(change: KeyChange, selection: Selection): Event | undefined {
  const { previous, revision } = change;
  const stored = change.type === 'put' ? change.item.value : undefined;
  if (selection.empty && stored) return { type: previous ? 'MODIFIED' : 'ADDED', stored, revision };
  const was = previous !== undefined && selection.matches(previous.value);
  if (stored && selection.matches(stored)) return { type: was ? 'MODIFIED' : 'ADDED', stored, revision };
  return was ? { type: 'DELETED', stored: lastOf(change, previous.value), revision } : undefined;
}

type KeyChange = Exclude<Change<Stored>, { type: 'progress' }>;

/** Last states by the changes that ended them: all watchers share one. */
const lasts = new WeakMap<KeyChange, Stored>();

/** The last state before the change, with its revision. */
function lastOf(change: KeyChange, previous: Stored): Stored {
  const known = lasts.get(change);
  if (known) return known;
  const last = atRevision(previous, change.revision);
  lasts.set(change, last);
  return last;
}

/** One signal for everything that ends a watch; `release` when it has ended. */
function endOf(
  call: RequestScope,
  store: ResourceStore,
  timeoutSeconds: number | undefined,
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = timeoutSeconds === undefined ? undefined : setTimeout(end, timerMs(timeoutSeconds * 1000)).unref();
  const { signal } = call;
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const withdraw = store.onEnd(end);
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      withdraw();
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

function watchError(
  error: unknown,
  call: RequestScope,
  { resourceVersion = '' }: WatchQuery,
  plan: WatchPlan,
): unknown {
  if (!(error instanceof StorageError)) return error;
  const { revision } = error;
  if (error.code === 'compacted') return tooOldResourceVersion(plan.from ?? 0, revision);
  if (error.code === 'future') return tooLargeResourceVersion(resourceVersion || 0, revision ?? 0);
  return interpret(error, resourceOf(call), 'watch');
}
