/** Watches that resume after a restart read the history from etcd, since the cache does not have it. */
import { setMaxListeners } from 'node:events';
import { Etcd3 } from 'etcd3';
import t, { type Test } from 'tap';
import { openCache } from '../../../storage/cache/open-cache.js';
import type { Cache } from '../../../storage/cache/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { EtcdClient } from '../../../storage/etcd/client.js';
import { createKeys } from '../../../storage/etcd/keys.js';
import { EtcdPast } from '../../../storage/etcd/past.js';
import { openEtcd } from '../../../storage/etcd/open-etcd.js';
import type { Backend, Change, Codec, Revision } from '../../../storage/interface.js';
import { bytes, errorCode, take, text, written } from '../../conformance/store.js';
import { openTestEtcd, startEtcd, withoutEtcd } from '../etcd-server.js';
import { overriding } from '../overriding.js';
import { startProxy } from '../proxy.js';
import { until } from '../until.js';

const raw: Codec<Uint8Array> = { decode: value => value, encode: value => value };
const never = new AbortController().signal;
setMaxListeners(0, never);

const line = (change: Change<Uint8Array>): string =>
  change.type === 'progress'
    ? ''
    : `${change.revision} ${change.type} ${change.type === 'put' ? `${change.item.key}=${text(change.item.value)}` : change.key} was ${text(change.previous?.value)}`;

async function young(t: Test, store: Backend, prefix: string): Promise<Cache<Uint8Array>> {
  const cache = openCache(store, prefix, raw);
  t.teardown(() => cache.close());
  await cache.ready;
  return cache;
}

/** Makes all kinds of writes; the last change of the prefix is the deletion of a key. */
async function live(store: Backend, prefix: string, count: number): Promise<void> {
  const standing = new Map<string, Revision>();
  for (let i = 0; i < count; i++) {
    const key = `${prefix}k${i % 7}`;
    const before = standing.get(key);
    if (before !== undefined && i % 5 === 0) {
      await store.remove(key, before);
      standing.delete(key);
    } else standing.set(key, written(await store.put(key, before ?? 'absent', bytes(String(i)))).revision);
  }
  const { revision } = written(await store.put(`${prefix}brief`, 'absent', bytes('brief')));
  await store.remove(`${prefix}brief`, revision);
}

t.test('watches read the history of an etcd', { skip: withoutEtcd, timeout: 120_000 }, async t => {
  const server = await startEtcd(t);
  const store = await openTestEtcd(server);
  t.teardown(() => store.close());

  await t.test('the history is followed by new changes', async t => {
    const from = await store.revision();
    await live(store, '/registry/a/', 60);
    await live(store, '/registry/b/x/', 5);
    await live(store, '/elsewhere/', 3);
    const all = await take(store.watch('/registry/a/', from, never), 62);
    const [a, b, quiet] = await Promise.all(
      ['/registry/a/', '/registry/b/', '/registry/quiet/'].map(prefix => young(t, store, prefix)),
    );
    if (!a || !b || !quiet) throw new Error('there are three');
    const starts = [from, ...all.slice(0, -1).map(({ revision }) => revision)];
    const watching = starts.map(
      async (start, index) => [index, await take(a.watch('/registry/a/', start, never), 63 - index)] as const,
    );
    const one = take(a.watch('/registry/a/', from, never, { key: '/registry/a/k3' }), 9);
    const other = take(b.watch('/registry/b/', from, never), 7);
    const silent = take(quiet.watch('/registry/quiet/', from, never), 1);
    await store.put('/registry/a/new', 'absent', bytes('new'));
    await store.put('/registry/quiet/new', 'absent', bytes('new'));
    const next = `put /registry/a/new=new was undefined`;
    for (const [index, changes] of await Promise.all(watching)) {
      const lines = changes.map(line);
      t.same(lines.slice(0, -1), all.slice(index).map(line), `from the change ${index}`);
      t.ok(lines.at(-1)?.endsWith(next));
    }
    const keyed = all.map(line).filter(text => text.includes('/registry/a/k3'));
    t.same((await one).map(line), keyed.slice(0, 9));
    t.equal((await other).length, 7);
    t.match(line((await silent)[0] as Change<Uint8Array>), /\/registry\/quiet\/new=new was undefined/);
  });

  await t.test('the history is read once for all watchers', async t => {
    const from = await store.revision();
    await live(store, '/registry/e/', 40);
    const to = await store.revision();
    const options = { endpoints: [server.endpoint] };
    const client = new EtcdClient(options, systemClock);
    const closing = new AbortController();
    let streams = 0;
    const counting = overriding(client, { watch: () => (streams++, client.watch()) });
    const newest = (): Promise<Revision> => store.revision();
    const past = new EtcdPast({
      client: counting,
      keys: createKeys(),
      clock: systemClock,
      newest,
      closed: closing.signal,
    });
    const told = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        past.read(i % 2 === 0 ? '/registry/e/' : '/registry/f/', (from + (i % 40)) as Revision, to),
      ),
    );
    t.equal(streams, 1);
    t.equal(told[0]?.length, to - from);
    t.ok(told.every((changes, i) => changes.length === (i % 2 === 0 ? to - from - (i % 40) : 0)));
    closing.abort();
    client.close();
  });

  await t.test('a history beyond the limit is not kept in memory', async t => {
    const from = await store.revision();
    await live(store, '/registry/g/', 40);
    const options = { endpoints: [server.endpoint] };
    const client = new EtcdClient(options, systemClock);
    const closing = new AbortController();
    const newest = (): Promise<Revision> => store.revision();
    const closed = closing.signal;
    const past = new EtcdPast({ client, keys: createKeys(), clock: systemClock, newest, closed, maxBytes: 5000 });
    const to = await store.revision();
    t.equal(await errorCode(past.read('/registry/g/', from, to)), 'compacted');
    t.equal((await past.read('/registry/g/', (to - 3) as Revision, to)).length, 3, 'less is');
    closing.abort();
    client.close();
  });

  await t.test('servers with different prefixes in one etcd have separate histories', async t => {
    const tenant = await openEtcd({ endpoints: [server.endpoint], compactionIntervalMs: 0, registryPrefix: '/tenant' });
    t.teardown(() => tenant.close());
    const from = await store.revision();
    await store.put('/registry/shared/x', 'absent', bytes('mine'));
    await tenant.put('/registry/shared/y', 'absent', bytes('his'));
    for (const [of, expect] of [
      [store, '/registry/shared/x=mine'],
      [tenant, '/registry/shared/y=his'],
    ] as const) {
      const cache = await young(t, of, '/registry/shared/');
      const stop = new AbortController();
      const told: string[] = [];
      const watching = (async () => {
        for await (const change of cache.watch('/registry/shared/', from, stop.signal)) told.push(line(change));
      })();
      await of.put(`/registry/shared/${of === store ? 'last' : 'end'}`, 'absent', bytes('end'));
      await until('all is told', () => told.at(-1)?.includes('=end') === true);
      t.equal(told.length, 2);
      t.match(told[0], expect);
      stop.abort();
      await watching;
    }
  });

  await t.test('a compacted history fails', async t => {
    const before = await store.revision();
    await live(store, '/registry/c/', 20);
    const compacted = await store.revision();
    await live(store, '/registry/c/', 0);
    await store.compact(compacted);
    const cache = await young(t, store, '/registry/c/');
    const next = (from: Revision): Promise<unknown> =>
      cache.watch('/registry/c/', from, never)[Symbol.asyncIterator]().next();
    t.equal(await errorCode(next(before)), 'compacted');
    t.equal(await errorCode(next((compacted - 2) as Revision)), 'compacted');
    t.equal((await take(cache.watch('/registry/c/', compacted, never), 2)).length, 2, 'what came after is there');
    t.equal(await errorCode(next(before)), 'compacted', 'still');
  });

  await t.test('the history is complete over breaking connections', async t => {
    const from = await store.revision();
    const value = Buffer.alloc(2000, 'c');
    for (let i = 0; i < 600; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, j) => store.put(`/registry/d/${i + j}`, 'absent', value)));
    const proxy = await startProxy(t, server.endpoint);
    const behind = await openTestEtcd(proxy);
    t.teardown(() => behind.close());
    const cache = await young(t, behind, '/registry/d/');
    proxy.cutAfter = 500_000;
    const watching = take(cache.watch('/registry/d/', from, never), 600);
    await until('it was cut', () => proxy.cuts >= 2);
    proxy.cutAfter = undefined;
    const revisions = (await watching).map(({ revision }) => revision);
    t.equal(new Set(revisions).size, 600);
    t.same(
      revisions,
      [...revisions].sort((a, b) => a - b),
    );
  });
});

t.test('a user without rights on all keys of the etcd gets Expired', { skip: withoutEtcd }, async t => {
  const server = await startEtcd(t);
  const admin = new Etcd3({ hosts: server.endpoint });
  for (const name of ['root', 'flagship']) await admin.role(name).create();
  await admin.role('flagship').grant({ permission: 'Readwrite', range: admin.range({ prefix: '/' }) });
  for (const name of ['root', 'flagship']) {
    await admin.user(name).create('secret');
    await admin.user(name).addRole(name);
  }
  await admin.auth.authEnable();
  admin.close();
  const auth = { username: 'flagship', password: 'secret' };
  const store = await openEtcd({ endpoints: [server.endpoint], compactionIntervalMs: 0, callMs: 5000, auth });
  t.teardown(() => store.close());
  const from = await store.revision();
  await store.put('/registry/a/1', 'absent', bytes('1'));
  const cache = await young(t, store, '/registry/a/');
  t.equal(await errorCode(cache.watch('/registry/a/', from, never)[Symbol.asyncIterator]().next()), 'compacted');
  const watching = take(cache.watch('/registry/a/', cache.seen, never), 1);
  await store.put('/registry/a/2', 'absent', bytes('2'));
  t.equal((await watching).length, 1, 'and can list and watch from there');
});
