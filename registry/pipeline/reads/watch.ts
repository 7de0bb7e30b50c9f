import type { KubeObject } from '../../../apimachinery/interface.js';
import { tooLargeResourceVersion, tooOldResourceVersion } from '../../../apimachinery/errors/status.js';
import { timerMs } from '../../../lib/timer.js';
import { StorageError } from '../../../storage/error.js';
import type { Change, Revision } from '../../../storage/interface.js';
import { type Initial, PhasedStream, streamOf } from '../../../storage/phased-stream.js';
import { noRevision } from '../../../storage/revision.js';
import type { WatchQuery } from '../../../client/interface.js';
import type { PipelineDeps } from '../context.js';
import { requestsStorageVersion } from '../stored/api-versions.js';
import { decodeAll } from '../stored/loaded.js';
import { isConverted, loadViews, toCurrentVersion } from '../stored/converted.js';
import { interpretStorageError } from '../errors.js';
import type { RequestScope, ObjectEvent, Events } from '../interface.js';
import { Bookmarks } from './bookmarks.js';
import { keyRangeOf } from './list.js';
import { type WatchPlan, checkWatch, planWatch } from './list-options.js';
import type { ResourceStore } from '../stored/resource-stores.js';
import type { StoredVersion } from '../stored/stored-version.js';
import { SelectedStream, added } from './selected-stream.js';
import { type ReadSelection, parseSelectors, selectionOf } from './selection.js';
import { selectInTurns } from './selection-walk.js';
import { groupResourceOf } from '../../group-resource.js';

/**
 * Watches objects. Throws for invalid parameters; the stream throws later errors. The stream ends with the signal, after `timeoutSeconds`
 * (never if absent), and when the definition of the resource is replaced or removed.
 */
export function watch(deps: PipelineDeps, call: RequestScope, query: WatchQuery): Events {
  const selectors = parseSelectors(query);
  checkWatch(query);
  const selection = selectionOf(call.definition, call.version, selectors);
  const plan = planWatch(query);
  const store = deps.stores.of(call.definition);
  const end = endOf(call, store, query.timeoutSeconds);
  const bookmarks = query.allowWatchBookmarks ? new Bookmarks(deps, query.timeoutSeconds) : undefined;
  const run: Run = {
    ...{ store, call, plan, selection, bookmarks, signal: end.signal },
    onEnd() {
      bookmarks?.stop();
      end.release();
    },
    errorOf: error => watchError(error, call, query, plan),
  };
  const events = new PhasedStream(phases(run), run.onEnd);
  return call.definition.mixedStorage && requestsStorageVersion(call.definition, call.version)
    ? new PhasedStream(migrated(events, call), () => events.close())
    : events;
}

/** The state of one watch. */
interface Run {
  readonly store: ResourceStore;
  readonly call: RequestScope;
  readonly plan: WatchPlan;
  readonly selection: ReadSelection;
  readonly bookmarks: Bookmarks | undefined;
  readonly signal: AbortSignal;
  /** Called when the watch ends for any reason, possibly more than once. */
  readonly onEnd: () => void;
  /** Returns the error of the watch for an error of the store. */
  readonly errorOf: (error: unknown) => unknown;
}

/** Yields the initial events, if requested, and returns the live events. */
async function* phases(run: Run): Initial<ObjectEvent> {
  const { plan, store, selection, bookmarks, call } = run;
  try {
    if (!plan.initial) return live(run, plan.from ?? (await store.cache.revision()));
    const { prefix, key } = keyRangeOf(call, selection);
    const page = await initialPage(run, plan.initial.notBefore, key ?? prefix);
    const events = live(run, page.revision);
    yield (function* () {
      for (const item of page.selected) if (key === undefined || item.key === key) yield added(item);
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
  if (cache.seen === noRevision) await waitUntilFilled(cache);
  const { index } = selection;
  const page = await cache.range(prefix, {
    ...(notBefore !== undefined && { notBefore }),
    ...(index !== undefined && { index }),
  });
  cache.counters.initial += page.items.length;
  const { revision } = page;
  const valuesOf = (items: typeof page.items): StoredVersion[] => items.map(({ value }) => value);
  if (!selection.fields || !isConverted(call.definition)) {
    const selected = await selectInTurns(page.items, selection, ({ value }) => value);
    await decodeAll(valuesOf(selected));
    return { revision, selected };
  }
  const values = valuesOf(page.items);
  await decodeAll(values);
  await loadViews(call, values);
  // In the same turn: the converted objects may not stay in memory.
  return { revision, selected: page.items.filter(({ value }) => selection.matches(value)) };
}

/**
 * Waits until the cache is filled. Initial events are not read from the store, which may have compacted their revision by the time the cache is
 * filled, so that the watch could not continue. Throws 'initializing' if it takes too long.
 */
const waitUntilFilled = (cache: ResourceStore['cache']): Promise<unknown> =>
  cache.range('', { notBefore: noRevision, limit: 1 });

const noop = (): void => undefined;

/** Returns the events after a revision. */
function live({ store, call, selection, bookmarks, signal, onEnd, errorOf }: Run, from: Revision): Events {
  const { cache } = store;
  const { prefix, key } = keyRangeOf(call, selection);
  const asked = bookmarks?.onProgressSource ?? noop;
  const all = cache.watch(prefix, from, signal, key === undefined ? { asked } : { key, asked });
  const changes = selection.fields && isConverted(call.definition) ? streamOf(viewed(all, call)) : all;
  const start = cache.seen;
  const onChange = ({ revision }: Change<StoredVersion>): void => {
    if (revision <= start) cache.counters.initial++;
  };
  return new SelectedStream({ changes, selection, bookmarks, onChange, onEnd, errorOf });
}

/**
 * Converts objects by webhook before they are selected, since field selectors apply to the requested version. The changes hold the converted objects
 * until then.
 */
async function* viewed(
  changes: AsyncIterable<Change<StoredVersion>>,
  call: RequestScope,
): AsyncGenerator<Change<StoredVersion> & { readonly views?: readonly KubeObject[] }, void> {
  for await (const change of changes) {
    if (change.type === 'progress') yield change;
    else {
      const states = [change.type === 'put' ? change.item : undefined, change.previous];
      const views = await loadViews(
        call,
        states.flatMap(item => item?.value ?? []),
      );
      yield { ...change, views };
    }
  }
}

/** Converts objects that were stored in another version than the current storage version. */
async function* migrated(all: AsyncIterable<ObjectEvent>, { definition }: RequestScope): Initial<ObjectEvent> {
  for await (const event of all)
    yield [event.type === 'BOOKMARK' ? event : { ...event, stored: await toCurrentVersion(definition, event.stored) }];
}

/** Returns one signal for everything that ends a watch. The caller must call `release` when the watch has ended. */
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
  return interpretStorageError(error, groupResourceOf(call), 'watch');
}
