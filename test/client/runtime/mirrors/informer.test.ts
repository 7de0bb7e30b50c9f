import t, { type Test } from 'tap';
import { silent } from '../../../../server/logger.js';
import { createInformerFactory } from '../../../../client/runtime/mirrors/informer.js';
import type { Informer, ObjectChange } from '../../../../client/runtime/interface.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Client, CachedItem, ByteProbe } from '../../../../client/interface.js';
import { systemClock } from '../../../../lib/clock.js';
import { cachedReader } from '../../../../client/watch/cached-reader.js';
import { waysToRead } from '../../ways-to-read.js';
import { configMap, configmaps, namespaces, serve } from '../../../registry/serve.js';
import { until } from '../../../storage/until.js';

function informers(t: Test, client: Client) {
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  return createInformerFactory({ client, clock: systemClock, log: silent, signal: stopping.signal });
}

/** Records the changes as `+ns/name value`, `~ns/name old value` and `-ns/name old`. */
function recordChanges(informer: Informer): string[] {
  const lines: string[] = [];
  informer.onChange(({ key, old, new: next }: ObjectChange) => {
    const of = (object: typeof old): string => (object?.data as { v?: string } | undefined)?.v ?? '';
    lines.push(!old ? `+${key} ${of(next)}` : next ? `~${key} ${of(old)} ${of(next)}` : `-${key} ${of(old)}`);
  });
  return lines;
}

const withValue = (name: string, v: string, namespace?: string, labels?: Record<string, string>) =>
  configMap(name, { data: { v }, metadata: labels ? { labels } : {} }, namespace);

const tier = ({ metadata }: KubeObject): string[] => (metadata.labels?.['tier'] ? [metadata.labels['tier']] : []);

for (const { where, of } of waysToRead) {
  t.test(`${where}: an informer lists, follows changes and keeps its indexes`, async t => {
    const { client } = await serve(t);
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    await client.create(configmaps, withValue('a', '1', 'default', { tier: 'x' }));
    await client.create(configmaps, withValue('b', '1', 'other'));
    const mirror = informers(t, of(client)).informer(configmaps, {
      indexers: {
        tier,
        hinted: { probe: { text: 'tier' }, values: tier },
        labelled: { ofLabels: ({ tier }) => (tier === undefined ? [] : [tier]) },
      },
    });
    await mirror.synced;
    const lines = recordChanges(mirror);
    t.same(lines.splice(0), ['+default/a 1', '+other/b 1']);
    t.same([...mirror.keysIn('other')], ['other/b']);

    await client.patch(
      configmaps,
      { namespace: 'other', name: 'b' },
      {
        type: 'merge',
        patch: { data: { v: '2' }, metadata: { labels: { tier: 'x' } } },
      },
    );
    await client.create(configmaps, withValue('c', '1', 'other'));
    await client.delete(configmaps, { namespace: 'default', name: 'a' });
    await until('three changes', () => lines.length === 3);
    t.same(lines, ['~other/b 1 2', '+other/c 1', '-default/a 1']);
    t.equal(mirror.get('default/a'), undefined);
    t.same(mirror.get('other/b')?.data, { v: '2' });
    t.same([...mirror.cached.keys()], ['other/b', 'other/c']);
    t.same([...mirror.keysIn('default')], []);
    t.same(
      mirror.list('other').map(({ metadata }) => metadata.name),
      ['b', 'c'],
    );
    for (const index of ['tier', 'hinted', 'labelled']) {
      t.same(
        mirror.byIndex(index, 'x').map(({ metadata }) => metadata.name),
        ['b'],
        `${index}: the index follows the changes`,
      );
      t.ok(mirror.isIndexed(index, 'other/b'));
      t.notOk(mirror.isIndexed(index, 'other/c'));
    }
    t.throws(() => mirror.byIndex('no such', ''), /has no index no such/);
  });
}

t.test('in process, objects are parsed only when they are read', async t => {
  const { client } = await serve(t);
  const { cached: held } = client;
  if (!held) throw new Error('the client holds nothing');
  for (const name of ['a', 'b', 'c']) await client.create(configmaps, withValue(name, '1'));
  await client.create(configmaps, withValue('marked', '1', 'default', { 'example.com/mark': 'x' }));
  let parsed: string[] = [];
  const counted = <I extends CachedItem>(item: I): I => ({
    ...item,
    cached: {
      revision: item.cached.revision,
      labels: item.cached.labels ?? {},
      mightContain: (mark: ByteProbe) => item.cached.mightContain?.(mark) ?? true,
      get object() {
        parsed.push(item.key);
        return item.cached.object;
      },
    },
  });
  const counting: Client = {
    ...client,
    cached: {
      ...held,
      async list(...args) {
        const list = await held.list(...args);
        return { ...list, items: list.items.map(counted) };
      },
      async *watch(...args) {
        for await (const event of held.watch(...args)) yield event.type === 'BOOKMARK' ? event : counted(event);
      },
    },
  };
  const values = ({ metadata }: KubeObject): string[] => [metadata.name ?? ''];
  const mirror = informers(t, counting).informer(configmaps, {
    indexers: {
      mark: { probe: { text: 'example.com/mark' }, values },
      labelled: { ofLabels: (labels, key) => Object.keys(labels).map(label => `${label} of ${key}`) },
    },
  });
  const keys: string[] = [];
  mirror.onChange(({ key, newCached }) => keys.push(`${newCached ? '' : '-'}${key}`));
  await mirror.synced;
  t.equal(keys.length, 4);
  t.same(parsed, ['default/marked'], 'only objects that match the probe of the index');
  t.equal(mirror.isIndexed('mark', 'default/marked'), true);
  t.same([...mirror.keysByIndex('labelled', 'example.com/mark of default/marked')], ['default/marked']);
  t.equal(mirror.isIndexed('labelled', 'default/a'), false);
  t.equal(mirror.keysIn('default').size, 4);

  parsed = [];
  await client.create(configmaps, withValue('d', '1'));
  await client.delete(configmaps, { namespace: 'default', name: 'a' });
  await until('two changes', () => keys.length === 6);
  t.same(keys.slice(4), ['default/d', '-default/a']);
  t.same(parsed, []);
  t.equal(mirror.get('default/d')?.metadata.name, 'd');
  t.same(parsed, ['default/d'], 'when it is read');
});

t.test('the events of one selection do not end the failure of another one', async t => {
  const { client } = await serve(t);
  const reader = cachedReader(client);
  const list: typeof reader.list = (resource, query, take) =>
    query?.labelSelector ? Promise.reject(new Error('cannot be listed')) : reader.list(resource, query, take);
  const lines: string[] = [];
  const line = (_: object, message: string): void => void lines.push(message);
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const factory = createInformerFactory({
    ...{ client: { ...client, cached: { ...reader, list } }, clock: systemClock, signal: stopping.signal },
    log: { ...silent, info: line, warn: line, error: line },
  });
  const all = factory.informer(configmaps);
  await all.synced;
  await factory.informer(configmaps, { labelSelector: 'tier=x' }).attempted;
  await client.create(configmaps, withValue('a', '1'));
  await until('the other mirror has an event', () => all.get('default/a') !== undefined);
  t.same(lines, ['a resource cannot be watched; it is tried again']);
});
