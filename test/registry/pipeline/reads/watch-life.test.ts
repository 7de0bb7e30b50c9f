/** How a watch of the pipeline begins and ends. as apiserver/pkg/storage/cacher */
import t from 'tap';
import type { WatchQuery } from '../../../../client/interface.js';
import type { Events } from '../../../../registry/pipeline/interface.js';
import { watch } from '../../../../registry/pipeline/reads/watch.js';
import { configMap, configmaps, refusalOf } from '../../serve.js';
import { openDeps } from '../deps.js';

/** Reads a watch to its end, or until it has as many events. */
async function read(events: Events, count = Infinity): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) {
    if (event.type === 'BOOKMARK') seen.push(event.initialEventsEnd ? 'BOOKMARK of the initial events' : 'BOOKMARK');
    else seen.push(`${event.type} ${event.stored.object.metadata.name}`);
    if (seen.length === count) break;
  }
  return seen;
}

t.test('a watch begins with what its query asks for', async t => {
  const { deps, scope, create } = await openDeps(t);
  const first = await create(configmaps, configMap('a', { metadata: { labels: { tier: 'x' } } }));
  await create(configmaps, configMap('b'));
  const call = scope(configmaps);
  const begun = (query: WatchQuery, count: number) => read(watch(deps, call, query), count);
  t.same(await begun({}, 2), ['ADDED a', 'ADDED b'], 'without a version: what is there');
  t.same(await begun({ resourceVersion: '0' }, 2), ['ADDED a', 'ADDED b']);
  t.same(await begun({ resourceVersion: first.metadata.resourceVersion ?? '' }, 1), ['ADDED b'], 'what came later');
  t.same(await begun({ labelSelector: 'tier=x' }, 1), ['ADDED a']);
  t.same(await begun({ fieldSelector: 'metadata.name=b' }, 1), ['ADDED b']);
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
  t.same(await begun(initial, 3), ['ADDED a', 'ADDED b', 'BOOKMARK of the initial events']);
  t.match(await refusalOf(() => watch(deps, call, { labelSelector: '!!' })), /^400 BadRequest/);
  t.match(await refusalOf(() => watch(deps, call, { sendInitialEvents: true })), /sendInitialEvents/);
});

t.test('a watch ends with its request, and after its timeout', async t => {
  const { deps, scope, create } = await openDeps(t);
  await create(configmaps, configMap('a'));
  t.same(await read(watch(deps, scope(configmaps), { timeoutSeconds: 1 })), ['ADDED a'], 'after a second');
  const request = new AbortController();
  const seen = read(watch(deps, scope(configmaps, { signal: request.signal }), {}), 2);
  await create(configmaps, configMap('b'));
  t.same(await seen, ['ADDED a', 'ADDED b']);
  const waiting = read(
    watch(deps, scope(configmaps, { signal: request.signal }), { fieldSelector: 'metadata.name=c' }),
  );
  request.abort();
  t.same(await waiting, [], 'with the signal');
});
