/** What a watch with a selection gets from the changes of a resource. */
import t, { type Test } from 'tap';
import type { ListQuery } from '../../../../client/interface.js';
import type { ObjectEvent } from '../../../../registry/pipeline/interface.js';
import { keyRangeOf } from '../../../../registry/pipeline/reads/list.js';
import { SelectedStream } from '../../../../registry/pipeline/reads/selected-stream.js';
import { parseSelectors, selectionOf } from '../../../../registry/pipeline/reads/selection.js';
import { configMap, configmaps } from '../../serve.js';
import { openDeps } from '../deps.js';

async function open(t: Test, query: ListQuery = {}) {
  const { deps, scope, create } = await openDeps(t);
  const call = scope(configmaps);
  const client = deps.clientFor(call.user);
  const { cache } = deps.stores.of(call.definition);
  const selection = selectionOf(call.definition, call.version, parseSelectors(query));
  const { prefix } = keyRangeOf(call, selection);
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const counts = { changes: 0, ends: 0 };
  const stream = new SelectedStream({
    changes: cache.watch(prefix, await cache.revision(), ending.signal, { asked: () => undefined }),
    ...{ selection, bookmarks: undefined },
    onChange: () => counts.changes++,
    onEnd: () => counts.ends++,
    errorOf: error => new Error('of the watch', { cause: error }),
  });
  const iterator = stream[Symbol.asyncIterator]();
  const next = async (): Promise<ObjectEvent | undefined> => (await iterator.next()).value;
  return { client, create, stream, counts, next };
}

const labelled = (name: string, app: string) => configMap(name, { metadata: { labels: { app } } });
const summary = (event: ObjectEvent | undefined): string =>
  event && 'stored' in event ? `${event.type} ${event.stored.object.metadata.name}` : `${event?.type}`;

t.test('an object that enters or leaves the selection is added or deleted', async t => {
  const { client, create, counts, next } = await open(t, { labelSelector: 'app=a' });
  await create(configmaps, labelled('other', 'b'));
  const first = await create(configmaps, labelled('one', 'b'));
  const entered = await client.update(configmaps, { ...first, metadata: { ...first.metadata, labels: { app: 'a' } } });
  t.equal(summary(await next()), 'ADDED one');
  const changed = await client.update(configmaps, { ...entered, data: { k: 'v' } });
  t.equal(summary(await next()), 'MODIFIED one');
  const left = await client.update(configmaps, { ...changed, metadata: { ...changed.metadata, labels: {} } });
  const event = await next();
  t.equal(summary(event), 'DELETED one');
  if (!event || !('stored' in event)) throw new Error('not reached');
  const { metadata } = event.stored.object;
  t.strictSame(metadata.labels, { app: 'a' }, 'with the last state that was selected');
  t.equal(metadata.resourceVersion, left.metadata.resourceVersion, 'at the revision of the change');
  await create(configmaps, labelled('two', 'a'));
  await client.delete(configmaps, { namespace: 'default', name: 'two' });
  t.strictSame([summary(await next()), summary(await next())], ['ADDED two', 'DELETED two']);
  t.ok(counts.changes >= 7, 'changes of others are counted');
});

t.test('without selectors every change is an event', async t => {
  const { client, create, next } = await open(t);
  const created = await create(configmaps, configMap('one'));
  await client.update(configmaps, { ...created, data: { k: 'v' } });
  await client.delete(configmaps, { namespace: 'default', name: 'one' });
  const events = [await next(), await next(), await next()].map(summary);
  t.strictSame(events, ['ADDED one', 'MODIFIED one', 'DELETED one']);
});

t.test('only streams that select everything are shared', async t => {
  const all = await open(t);
  await all.create(configmaps, configMap('one'));
  await all.next();
  const sharing = all.stream.sharing();
  t.ok(sharing);
  t.equal(all.stream.sharing(), sharing, 'the same each time');
  const fork = sharing?.fork();
  await all.create(configmaps, configMap('two'));
  await all.next();
  const { value } = (await fork?.[Symbol.asyncIterator]().next()) ?? {};
  t.equal(summary(value), 'ADDED two', 'a fork has the same events');
  fork?.close();
  t.equal(all.counts.ends, 0, 'and its end is not that of the stream');
  const some = await open(t, { labelSelector: 'app=a' });
  t.equal(some.stream.sharing(), undefined);
});

t.test('the end is reported', async t => {
  const { stream, counts, next } = await open(t);
  stream.close();
  t.equal(await next(), undefined);
  t.ok(counts.ends > 0);
});
