import { tooLargeResourceVersion, tooOldResourceVersion } from '../../../apimachinery/errors/status.js';
import { timerMs } from '../../../lib/timer.js';
import { StorageError } from '../../../storage/error.js';
import type { Change, Revision } from '../../../storage/interface.js';
import { type Initial, PhasedStream, streamOf } from '../../../storage/phased-stream.js';
import { noRevision } from '../../../storage/revision.js';
import type { WatchQuery } from '../../../client/interface.js';
import { type Parts, resourceOf } from '../context.js';
import { requestsStorageVersion } from '../stored/api-versions.js';
import { isConverted, renew, viewAll } from '../stored/converted.js';
import { interpret } from '../errors.js';
import type { RequestScope, Event, Events, Stored } from '../interface.js';
import { Bookmarks } from './bookmarks.js';
import { placeOf } from './list.js';
import { type WatchPlan, checkWatch, planWatch } from './list-options.js';
import type { ResourceStore } from '../stored/resource-stores.js';
import { SelectedStream, added } from './selected-stream.js';
import { type Selection, parseSelectors, selectionOf } from './selection.js';

/**
 * Watches objects. Throws at once for wrong parameters; the stream throws later errors. It ends cleanly with the signal, after `timeoutSeconds`
 * (absent: never) and when the resource changes or is removed.
 */
export function watch(parts: Parts, call: RequestScope, query: WatchQuery): Events {
  const selectors = parseSelectors(query);
  checkWatch(query);
  const selection = selectionOf(call.definition, call.version, selectors);
  const plan = planWatch(query);
  const store = parts.stores.of(call.definition);
  const ending = endOf(call, store, query.timeoutSeconds);
  const bookmarks = query.allowWatchBookmarks ? new Bookmarks(parts, query.timeoutSeconds) : undefined;
  const run: Run = {
    ...{ store, call, plan, selection, bookmarks, signal: ending.signal },
    onEnd() {
      bookmarks?.stop();
      ending.release();
    },
    errorOf: error => watchError(error, call, query, plan),
  };
  const events = new PhasedStream(phases(run), run.onEnd);
  return call.definition.mixedStorage && requestsStorageVersion(call.definition, call.version)
    ? new PhasedStream(renewed(events, call), () => events.close())
    : events;
}

/** What one watch needs. */
interface Run {
  readonly store: ResourceStore;
  readonly call: RequestScope;
  readonly plan: WatchPlan;
  readonly selection: Selection;
  readonly bookmarks: Bookmarks | undefined;
  readonly signal: AbortSignal;
  /** Called when the watch ends, in whatever way, and perhaps more than once. */
  readonly onEnd: () => void;
  /** Returns the error of the watch for an error of the store. */
  readonly errorOf: (error: unknown) => unknown;
}

/** Yields the objects that are there at first, if the watch wants them, and returns the live events. */
async function* phases(run: Run): Initial<Event> {
  const { plan, store, selection, bookmarks, call } = run;
  try {
    if (!plan.initial) return live(run, plan.from ?? (await store.cache.revision()));
    const { prefix, key } = placeOf(call, selection);
    const page = await initialPage(run, plan.initial.notBefore, key ?? prefix);
    const events = live(run, page.revision);
    yield (function* () {
      for (const item of page.items)
        if ((key === undefined || item.key === key) && selection.matches(item.value)) yield added(item);
      if (bookmarks) yield { type: 'BOOKMARK', revision: page.revision, initialEventsEnd: true };
    })();
    return events;
  } catch (error) {
    run.onEnd();
    throw run.errorOf(error);
  }
}

async function initialPage(
  { store: { cache }, call, selection }: Run,
  notBefore: Revision | undefined,
  prefix: string,
) {
  if (cache.seen === noRevision) await filled(cache);
  const { index } = selection;
  const page = await cache.range(prefix, {
    ...(notBefore !== undefined && { notBefore }),
    ...(index !== undefined && { index }),
  });
  const values = page.items.map(({ value }) => value);
  if (selection.fields) await viewAll(call, values);
  cache.figures.initial += page.items.length;
  return page;
}

/**
 * Waits for a cache that holds the objects: initial events do not come from the store, which may have forgotten by the time the cache is filled what
 * happened meanwhile, so that the watch could not continue. Throws 'initializing' when that takes too long.
 */
const filled = (cache: ResourceStore['cache']): Promise<unknown> =>
  cache.range('', { notBefore: noRevision, limit: 1 });

const noop = (): void => undefined;

/** Returns the events after a revision. */
function live({ store, call, selection, bookmarks, signal, onEnd, errorOf }: Run, from: Revision): Events {
  const { cache } = store;
  const { prefix, key } = placeOf(call, selection);
  const asked = bookmarks?.asked ?? noop;
  const all = cache.watch(prefix, from, signal, key === undefined ? { asked } : { key, asked });
  const changes = selection.fields && isConverted(call.definition) ? streamOf(viewed(all, call)) : all;
  const begun = cache.seen;
  const onChange = ({ revision }: Change<Stored>): void => {
    if (revision <= begun) cache.figures.initial++;
  };
  return new SelectedStream({ changes, selection, bookmarks, onChange, onEnd, errorOf });
}

/** Fields are selected in the version of the request: objects that a webhook converts are converted before they are selected. */
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

/** Converts objects that are stored in another version than today's storage version. */
async function* renewed(all: AsyncIterable<Event>, { definition }: RequestScope): Initial<Event> {
  for await (const event of all)
    yield [event.type === 'BOOKMARK' ? event : { ...event, stored: await renew(definition, event.stored) }];
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
