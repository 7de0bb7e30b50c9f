import t from 'tap';
import type { WatchEvent, WatchQuery } from '../../../../client/interface.js';
import { type Served, configMap, configmaps, refusal, serve } from '../../serve.js';

/** Takes a number of events, then ends the watch. */
async function take({ client }: Served, query: WatchQuery, count: number): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  if (count === 0) return events;
  for await (const event of client.watch(configmaps, query, new AbortController().signal)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

const summary = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());
const a = { namespace: 'default', name: 'a' };

t.test('a watch from a version gets every later change in order', async t => {
  const served = await serve(t);
  const { client } = served;
  const created = await client.create(configmaps, configMap('a'));
  const updated = await client.update(configmaps, { ...created, data: { k: 'v' } });
  await client.delete(configmaps, a);
  await client.create(configmaps, configMap('b'));
  const from = { resourceVersion: created.metadata.resourceVersion ?? '' };
  const [events, again] = await Promise.all([take(served, from, 3), take(served, from, 3)]);
  t.same(summary(events), ['MODIFIED a', 'DELETED a', 'ADDED b']);
  t.equal(events[0]?.object, updated, 'watchers share the object of the writer');
  t.equal(events[1]?.object, again[1]?.object, 'and the last state of a deleted object');
  t.same(events[1]?.object.data, { k: 'v' });
  t.equal(
    Number(events[1]?.object.metadata.resourceVersion),
    Number(updated.metadata.resourceVersion) + 1,
    'with the version of the deletion',
  );
});

t.test('initial events are sent on request', async t => {
  const served = await serve(t);
  const { client } = served;
  await client.create(configmaps, configMap('b'));
  await client.create(configmaps, configMap('a'));
  const notOlder = { resourceVersionMatch: 'NotOlderThan' } as const;
  const initial: readonly [string, WatchQuery][] = [
    ['no version', {}],
    ['any', { resourceVersion: '0' }],
    ['asked for', { sendInitialEvents: true, ...notOlder }],
  ];
  for (const [name, query] of initial) t.same(summary(await take(served, query, 2)), ['ADDED a', 'ADDED b'], name);
  const [, , bookmark] = await take(served, { sendInitialEvents: true, ...notOlder, allowWatchBookmarks: true }, 3);
  t.match(bookmark, {
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: /^\d+$/, annotations: { 'k8s.io/initial-events-end': 'true' } },
    },
  });
  const events = client
    .watch(configmaps, { sendInitialEvents: false, ...notOlder }, new AbortController().signal)
    [Symbol.asyncIterator]();
  const next = events.next();
  await new Promise(setImmediate);
  await client.create(configmaps, configMap('c'));
  t.match(await next, { value: { type: 'ADDED', object: { metadata: { name: 'c' } } } }, 'only later changes');
  await events.return?.();
});

t.test('objects that start and stop matching a selector are added and deleted', async t => {
  const served = await serve(t);
  const { client } = served;
  const { metadata } = await client.create(configmaps, configMap('a', { data: { n: '1' } }));
  const label = (on: string | null, n: string) =>
    client.patch(configmaps, a, { type: 'merge', patch: { metadata: { labels: { on } }, data: { n } } });
  await label('y', '2');
  await label('y', '3');
  const left = await label(null, '4');
  await label('y', '5');
  await client.delete(configmaps, a);
  const query = { resourceVersion: metadata.resourceVersion ?? '', labelSelector: 'on=y' };
  const events = await take(served, query, 5);
  t.same(summary(events), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
  t.match(events[2]?.object, { data: { n: '3' }, metadata: { resourceVersion: left.metadata.resourceVersion } });
});

t.test('a watch can select one object or one namespace', async t => {
  const served = await serve(t);
  const { client } = served;
  const first = await client.create(configmaps, configMap('first'));
  await client.create(configmaps, configMap('a', {}, 'other'));
  await client.create(configmaps, configMap('b'));
  await client.create(configmaps, configMap('a'));
  const resourceVersion = first.metadata.resourceVersion ?? '';
  t.same(summary(await take(served, { resourceVersion, namespace: 'default' }, 2)), ['ADDED b', 'ADDED a']);
  const [only] = await take(served, { resourceVersion, namespace: 'default', fieldSelector: 'metadata.name=a' }, 1);
  t.equal(only?.object.metadata.namespace, 'default');
});

t.test('invalid watches are refused', async t => {
  const served = await serve(t);
  const { backend } = served;
  // The cache starts with the current state, and the store has compacted the revisions before.
  for (const name of ['a', 'b']) await backend.put(`/registry/other/${name}`, 'absent', Buffer.from('{}'));
  await backend.compact(await backend.revision());
  await served.client.list(configmaps);
  const head = '422 Invalid: ListOptions.meta.k8s.io "" is invalid: ';
  const cases: readonly { name: string; query: WatchQuery; expect: string | RegExp }[] = [
    {
      name: 'no number',
      query: { resourceVersion: 'x' },
      expect: '500 : resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    },
    {
      name: 'initial events without match',
      query: { sendInitialEvents: true },
      expect: `${head}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    },
    {
      name: 'match without initial events',
      query: { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' },
      expect: `${head}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    },
    { name: 'too old', query: { resourceVersion: '1' }, expect: /^410 Expired: too old resource version: 1 \(\d+\)$/ },
  ];
  for (const { name, query, expect } of cases) t.match(await refusal(take(served, query, 1)), expect, name);
});

t.test('a watch ends with its signal, its timeout, or the resource', async t => {
  const { client, catalogue } = await serve(t);
  const { metadata } = await client.create(configmaps, configMap('a'));
  const resourceVersion = metadata.resourceVersion ?? '';
  const drain = async (query: WatchQuery, signal = new AbortController().signal): Promise<number> => {
    let count = 0;
    for await (const _ of client.watch(configmaps, query, signal)) count++;
    return count;
  };
  const stop = new AbortController();
  const stopped = drain({ resourceVersion }, stop.signal);
  const timed = drain({ resourceVersion, timeoutSeconds: 0.02 });
  const removed = drain({ resourceVersion });
  await new Promise(setImmediate);
  stop.abort();
  t.same(await Promise.all([stopped, timed]), [0, 0]);
  catalogue.remove('', 'configmaps');
  t.equal(await removed, 0);
  t.equal(await refusal(client.list(configmaps)), '404 NotFound: the server could not find the requested resource');
});

t.test('a bookmark is sent shortly before the end', async t => {
  const served = await serve(t);
  const { metadata } = await served.client.create(configmaps, configMap('a'));
  const { resourceVersion = '' } = metadata;
  const [bookmark] = await take(served, { resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 2.1 }, 1);
  t.same(bookmark, {
    type: 'BOOKMARK',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion } },
  });
});
