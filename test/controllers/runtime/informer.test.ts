import t, { type Test } from 'tap';
import { silent } from '../../../apiserver/main/logger.js';
import { createInformerFactory } from '../../../controllers/runtime/informer.js';
import type { Informer, ObjectChange } from '../../../controllers/runtime/interface.js';
import type { KubeObject } from '../../../openapi/interface.js';
import { expired } from '../../../openapi/meta/status.js';
import type { Client, HeldItem, WatchQuery } from '../../../registry/interface.js';
import { systemClock } from '../../../storage/clock.js';
import { configMap, configmaps, namespaces, serve } from '../../registry/serve.js';
import { until } from '../../storage/until.js';

/** Without the objects that a server in this process holds: as of a server elsewhere. */
function fetching(client: Client): Client {
  const { held: _held, ...rest } = client;
  return rest;
}

const clients = [
  { where: 'held in this process', of: (client: Client) => client },
  { where: 'fetched', of: fetching },
];

/** A client whose watches can be broken, and that says from where each began. */
function breakable(client: Client) {
  const began: string[] = [];
  let lists = 0;
  let failure: Error | undefined;
  let stop = new AbortController();

  async function* through<E>(
    watch: (signal: AbortSignal) => AsyncIterable<E>,
    { resourceVersion = '' }: WatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<E, void> {
    began.push(resourceVersion);
    stop = new AbortController();
    yield* watch(AbortSignal.any([signal, stop.signal]));
    if (failure) throw failure;
  }

  const { held } = client;
  const broken: Client = {
    ...client,
    list: (...args) => (lists++, client.list(...args)),
    watch: (resource, query, signal) => through(s => client.watch(resource, query, s), query, signal),
    ...(held && {
      held: {
        list: (...args) => (lists++, held.list(...args)),
        watch: (resource, query, signal) => through(s => held.watch(resource, query, s), query, signal),
      },
    }),
  };
  return {
    client: broken,
    began,
    lists: () => lists,
    fail(error: Error) {
      failure = error;
      stop.abort();
    },
    heal: () => (failure = undefined),
  };
}

interface Options {
  /** Resolves when the informer may try again what failed. */
  readonly pause?: () => Promise<void>;
}

function informers(t: Test, client: Client, { pause }: Options = {}) {
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const clock = pause ? { ...systemClock, sleep: pause } : systemClock;
  return createInformerFactory({ client, clock, log: silent, signal: stopping.signal });
}

/** `+ns/name value`, `~ns/name old value`, `-ns/name old`. */
function told(informer: Informer): string[] {
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

for (const { where, of } of clients) {
  t.test(`${where}: what is there, what changes, and how it is found`, async t => {
    const { client } = await serve(t);
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    await client.create(configmaps, withValue('a', '1', 'default', { tier: 'x' }));
    await client.create(configmaps, withValue('b', '1', 'other'));
    const mirror = informers(t, of(client)).informer(configmaps, {
      indexers: { tier, hinted: { mentions: '"tier"', values: tier } },
    });
    await mirror.synced;
    const lines = told(mirror);
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
    t.same([...mirror.held.keys()], ['other/b', 'other/c']);
    t.same([...mirror.keysIn('default')], []);
    t.same(
      mirror.list('other').map(({ metadata }) => metadata.name),
      ['b', 'c'],
    );
    for (const index of ['tier', 'hinted']) {
      t.same(
        mirror.byIndex(index, 'x').map(({ metadata }) => metadata.name),
        ['b'],
        `${index}: what came and what went`,
      );
      t.ok(mirror.isIndexed(index, 'other/b'));
      t.notOk(mirror.isIndexed(index, 'other/c'));
    }
    t.throws(() => mirror.byIndex('no such', ''), /has no index no such/);
  });

  t.test(`${where}: a broken watch goes on where it was`, async t => {
    const { client } = await serve(t);
    const breaking = breakable(of(client));
    let again = (): void => undefined;
    const mirror = informers(t, breaking.client, { pause: () => new Promise(resolve => (again = resolve)) }).informer(
      configmaps,
    );
    const lines = told(mirror);
    await mirror.synced;
    const a = await client.create(configmaps, withValue('a', '1'));
    await until('the first change', () => lines.length === 1);
    breaking.fail(new Error('the connection is gone'));
    await client.create(configmaps, withValue('b', '1'));
    await client.delete(configmaps, { namespace: 'default', name: 'a' });
    breaking.heal();
    await until('the end of the watch', () => (again(), breaking.began.length === 2));
    await until('what was missed', () => lines.length === 3);
    t.same(lines, ['+default/a 1', '+default/b 1', '-default/a 1'], 'nothing missed, nothing twice');
    t.equal(breaking.lists(), 1);
    t.equal(breaking.began[1], a.metadata.resourceVersion);
  });

  t.test(`${where}: who asks for what is forgotten lists again, and hears the difference`, async t => {
    const { client } = await serve(t);
    for (const name of ['changed', 'gone', 'kept', 'replaced']) await client.create(configmaps, withValue(name, '1'));
    const breaking = breakable(of(client));
    let again: (() => void) | undefined;
    const mirror = informers(t, breaking.client, { pause: () => new Promise(resolve => (again = resolve)) }).informer(
      configmaps,
      { indexers: { tier } },
    );
    await mirror.synced;
    const lines = told(mirror);
    await until('a watch', () => breaking.began.length === 1);
    breaking.fail(expired('too old resource version: 1 (2)'));
    await until('the end of the watch', () => again !== undefined);
    lines.length = 0;
    const key = (name: string) => ({ namespace: 'default', name });
    const change = { data: { v: '2' }, metadata: { labels: { tier: 'x' } } };
    await client.patch(configmaps, key('changed'), { type: 'merge', patch: change });
    await client.delete(configmaps, key('gone'));
    await client.delete(configmaps, key('replaced'));
    await client.create(configmaps, withValue('replaced', '2'));
    await client.create(configmaps, withValue('new', '1'));
    t.same(lines, [], 'nobody listens');
    breaking.heal();
    again?.();
    await until('the difference', () => lines.length === 5);
    t.same(lines.sort(), [
      '+default/new 1',
      '+default/replaced 2',
      '-default/gone 1',
      '-default/replaced 1',
      '~default/changed 1 2',
    ]);
    t.equal(breaking.lists(), 2);
    t.equal(mirror.byIndex('tier', 'x').length, 1);
    await client.delete(configmaps, key('new'));
    await until('the next change', () => lines.length === 6);
    t.equal(lines[5], '-default/new 1', 'and goes on from there');
  });
}

t.test('in process nothing is parsed that nobody looks at', async t => {
  const { client } = await serve(t);
  const { held } = client;
  if (!held) throw new Error('the client holds nothing');
  for (const name of ['a', 'b', 'c']) await client.create(configmaps, withValue(name, '1'));
  await client.create(configmaps, withValue('marked', '1', 'default', { 'example.com/mark': 'x' }));
  let parsed: string[] = [];
  const counted = <I extends HeldItem>(item: I): I => ({
    ...item,
    held: {
      revision: item.held.revision,
      mentions: (text: string) => item.held.mentions?.(text) ?? true,
      get object() {
        parsed.push(item.key);
        return item.held.object;
      },
    },
  });
  const counting: Client = {
    ...client,
    held: {
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
    indexers: { mark: { mentions: '"example.com/mark"', values } },
  });
  const keys: string[] = [];
  mirror.onChange(({ key, is }) => keys.push(`${is ? '' : '-'}${key}`));
  await mirror.synced;
  t.equal(keys.length, 4);
  t.same(parsed, ['default/marked'], 'only what the index may want');
  t.equal(mirror.isIndexed('mark', 'default/marked'), true);
  t.equal(mirror.keysIn('default').size, 4);

  parsed = [];
  await client.create(configmaps, withValue('d', '1'));
  await client.delete(configmaps, { namespace: 'default', name: 'a' });
  await until('two changes', () => keys.length === 6);
  t.same(keys.slice(4), ['default/d', '-default/a']);
  t.same(parsed, []);
  t.equal(mirror.get('default/d')?.metadata.name, 'd');
  t.same(parsed, ['default/d'], 'when it is asked for');
});
