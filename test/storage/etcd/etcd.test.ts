import { Etcd3 } from 'etcd3';
import t, { type Test } from 'tap';
import { openCache } from '../../../storage/cache/open-cache.js';
import { systemClock } from '../../../lib/clock.js';
import { StorageError } from '../../../storage/error.js';
import { EtcdClient } from '../../../storage/etcd/client.js';
import { compactRound } from '../../../storage/etcd/compactor.js';
import { type EtcdOptions, openEtcd } from '../../../storage/etcd/open-etcd.js';
import { progressIsSafe } from '../../../storage/etcd/progress.js';
import type { Backend, Change, Codec, Revision } from '../../../storage/interface.js';
import { bytes, errorCode, take, text, written } from '../../conformance/store.js';
import { type EtcdServer, openTestEtcd, startEtcd, startEtcdCluster, withoutEtcd } from '../etcd-server.js';
import { overriding } from '../overriding.js';
import { startProxy } from '../proxy.js';
import { until } from '../until.js';

const raw: Codec<Uint8Array> = { decode: value => value, encode: value => value };
const never = new AbortController().signal;

async function opened(t: Test, server: { endpoint: string }, options: Partial<EtcdOptions> = {}): Promise<Backend> {
  const store = await openEtcd({ endpoints: [server.endpoint], compactionIntervalMs: 0, ...options });
  t.teardown(() => store.close());
  return store;
}

/** Another client of the same etcd. */
function etcd(t: Test, server: { endpoint: string }): Etcd3 {
  const client = new Etcd3({ hosts: server.endpoint });
  t.teardown(() => client.close());
  return client;
}

async function fill(store: Backend, prefix: string, count: number, value: Uint8Array): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let i = 0; i < count; i += 100) {
    const part = Array.from({ length: Math.min(100, count - i) }, (_, j) =>
      store.put(`${prefix}${String(i + j).padStart(6, '0')}`, 'absent', value),
    );
    for (const outcome of await Promise.all(part)) revisions.push(written(outcome).revision);
  }
  return revisions.sort((a, b) => a - b);
}

t.test('the version decides whether progress notifications are reliable', async t => {
  const table: readonly { readonly version: string | undefined; readonly expect: boolean }[] = [
    { version: '3.4.23', expect: false },
    { version: '3.4.24', expect: false },
    { version: '3.4.25', expect: true },
    { version: '3.5.7', expect: false },
    { version: '3.5.8', expect: true },
    { version: '3.5.21', expect: true },
    { version: '3.6.0', expect: true },
    { version: '3.3.27', expect: false },
    { version: '4.0.0-rc.1', expect: true },
    { version: undefined, expect: false },
  ];
  for (const { version, expect } of table) t.equal(progressIsSafe(version), expect, String(version));
});

t.test('etcd', { skip: withoutEtcd, timeout: 300_000 }, async t => {
  const server = await startEtcd(t);

  await t.test('keys and values are stored in the format of other clients', async t => {
    const other = etcd(t, server);
    const store = await opened(t, server);
    const prefixed = await opened(t, server, { registryPrefix: '/tenant' });
    await store.put('/registry/configmaps/default/x', 'absent', bytes('k8s\0x'));
    await prefixed.put('/registry/a', 'absent', bytes('1'));
    t.equal(await other.get('/registry/configmaps/default/x').string(), 'k8s\0x');
    t.equal(await other.get('/tenant/a').string(), '1');
    t.same((await prefixed.range('/registry/')).items.map(item => item.key), ['/registry/a']); // prettier-ignore
    await other.put('/tenant/b').value('2');
    const [change] = await take(prefixed.watch('/registry/', ((await store.revision()) - 1) as Revision, never), 1);
    t.match(change, { type: 'put', item: { key: '/registry/b' } });
  });

  await t.test('a range of any size is read at one revision', async t => {
    const store = await opened(t, server);
    const revisions = await fill(store, '/big/', 6000, Buffer.alloc(1536, 'b'));
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) await store.put(`/big/new${i}`, 'absent', bytes('n'));
    })();
    const page = await store.range('/big/');
    writing = false;
    await writer;
    t.ok(page.items.length >= 6000);
    t.equal(page.remaining, 0);
    t.ok(page.items.every(item => item.revision <= page.revision));
    const again = await store.range('/big/', { at: page.revision });
    t.equal(again.items.length, page.items.length);
    t.same((await store.range('/big/', { at: revisions[99] as Revision })).items.length, 100);
  });

  await t.test('a watch over breaking connections has every change once', async t => {
    const direct = await opened(t, server);
    const from = await direct.revision();
    const revisions = await fill(direct, '/cut/', 3000, Buffer.alloc(1000, 'c'));
    const proxy = await startProxy(t, server.endpoint);
    const store = await opened(t, proxy);
    proxy.cutAfter = 700_000;
    const watching = take(store.watch('/cut/', from, never), 3100);
    await until('it was cut several times', () => proxy.cuts >= 3);
    proxy.cutAfter = undefined;
    revisions.push(...(await fill(direct, '/cut/live', 100, bytes('x'))));
    t.same(
      (await watching).map(change => change.revision),
      revisions,
    );
    t.ok(proxy.cuts >= 3);
  });

  await t.test('fragmented watch responses are joined', async t => {
    const store = await opened(t, server);
    const from = await store.revision();
    const value = Buffer.alloc(300_000, 'f');
    const revisions = await fill(store, '/fragments/', 30, value);
    const changes = await take(store.watch('/fragments/', from, never), 30);
    t.same(
      changes.map(change => change.revision),
      revisions,
    );
    t.ok(changes.every(change => change.type === 'put' && change.item.value.byteLength === value.length));
  });

  await t.test('previous values are sent on request', async t => {
    const store = await opened(t, server);
    const from = await store.revision();
    const { revision } = written(await store.put('/before', 'absent', bytes('1')));
    await store.put('/before', revision, bytes('2'));
    const [, told] = await take(store.watch('/before', from, never), 2);
    t.match(told, { previous: { key: '/before', revision } });
    const [, untold] = await take(store.watch('/before', from, never, { previous: false }), 2);
    t.match(untold, { type: 'put', item: { key: '/before' }, previous: undefined });
  });

  await t.test('progress is reported on request', async t => {
    const trusting = await opened(t, server, { trustProgress: true });
    const stop = new AbortController();
    const told: number[] = [];
    const from = await trusting.revision();
    const watching = (async () => {
      for await (const change of trusting.watch('/quiet/', from, stop.signal)) {
        told.push(change.type === 'progress' ? change.revision : -1);
      }
    })();
    const { revision } = written(await trusting.put('/elsewhere', 'absent', bytes('1')));
    await until('progress is told', () => {
      trusting.requestProgress('/quiet/');
      return (told.at(-1) ?? 0) >= revision;
    });
    stop.abort();
    await watching;
    t.notOk(told.includes(-1));

    const cache = openCache(trusting, '/quiet/', raw, { freshnessTimeoutMs: 5000 });
    await cache.ready;
    written(await trusting.put('/elsewhere/2', 'absent', bytes('1')));
    t.equal((await cache.range('/quiet/')).revision, await trusting.revision(), 'the cache requests it');
    t.equal(cache.seen, await trusting.revision());
    await cache.close();
  });

  await t.test('lists are served from memory while other keys are written', async t => {
    const other = etcd(t, server);
    const store = await opened(t, server);
    const asked = { range: 0, compare: 0 };
    let stalled = new AbortController();
    const counted = overriding(store, {
      range(prefix, options) {
        asked.range++;
        return store.range(prefix, options);
      },
      compare(...given) {
        asked.compare++;
        return store.compare?.(...given) ?? Promise.reject(new Error('etcd compares'));
      },
      async *watch(prefix, from, signal, how) {
        for await (const change of store.watch(prefix, from, signal, how)) {
          if (stalled.signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
          yield change;
        }
      },
    });
    await fill(store, '/listed/', 3, bytes('1'));
    const cache = openCache(counted, '/listed/', raw, { freshnessTimeoutMs: 2000 });
    t.teardown(() => cache.close());
    await cache.ready;
    const revisionOf = (outcome: Awaited<ReturnType<Backend['put']>>): Revision => written(outcome).revision;
    const mine = (key: string): Promise<unknown> => store.put(key, 'absent', bytes('x'));
    const theirs = (key: string): Promise<unknown> => other.put(key).value('y').exec();
    let removed = (await store.get('/listed/000000'))?.revision as Revision;
    const table: readonly {
      readonly name: string;
      readonly given: () => Promise<unknown>;
      readonly expect: { readonly range: number; readonly compare: number; readonly size: number };
    }[] = [
      { name: 'nothing', given: () => Promise.resolve(), expect: { range: 0, compare: 0, size: 3 } },
      { name: 'we write another', given: () => mine('/elsewhere/mine'), expect: { range: 0, compare: 0, size: 3 } },
      {
        name: 'we write many others at once',
        given: () => Promise.all(Array.from({ length: 50 }, (_, i) => mine(`/elsewhere/many${i}`))),
        expect: { range: 0, compare: 0, size: 3 },
      },
      { name: 'somebody else does', given: () => theirs('/elsewhere/1'), expect: { range: 0, compare: 1, size: 3 } },
      { name: 'nothing more', given: () => Promise.resolve(), expect: { range: 0, compare: 0, size: 3 } },
      { name: 'we write one of it', given: () => mine('/listed/mine'), expect: { range: 0, compare: 0, size: 4 } },
      {
        name: 'we remove one of it',
        given: () => store.remove('/listed/000000', removed),
        expect: { range: 0, compare: 0, size: 3 },
      },
      {
        name: 'we write one of it, and then another',
        given: async () => {
          removed = revisionOf(await store.put('/listed/more', 'absent', bytes('x')));
          await mine('/elsewhere/more');
        },
        expect: { range: 0, compare: 0, size: 4 },
      },
    ];
    for (const { name, given, expect } of table) {
      asked.range = asked.compare = 0;
      await given();
      const page = await cache.range('/listed/');
      t.same({ ...asked, size: page.items.length }, expect, name);
      t.equal(page.revision, await store.revision(), name);
    }
    for (const change of [
      () => theirs('/listed/theirs'),
      () => other.delete().key('/listed/000001'),
      async () => {
        await theirs('/listed/000002');
        await theirs('/elsewhere/2');
      },
    ]) {
      asked.range = 0;
      await change();
      const page = await cache.range('/listed/');
      t.same(page.items, (await store.range('/listed/')).items, 'writes of another client are there');
      t.equal(asked.range, 0);
    }

    stalled.abort();
    for (const change of [() => theirs('/listed/late'), () => mine('/listed/later')]) {
      asked.range = 0;
      await change();
      const page = await cache.range('/listed/');
      t.same(page.items, (await store.range('/listed/')).items, 'a stalled watch hides no writes');
      t.equal(asked.range, 1);
    }
    stalled = new AbortController();
  });

  await t.test('keys with similar expiry share a lease, and expire in one revision', async t => {
    const other = etcd(t, server);
    const store = await opened(t, server);
    const lease = async (key: string): Promise<string | undefined> => (await other.get(key).exec()).kvs[0]?.lease;
    const keys = ['/ttl/a', '/ttl/b', '/ttl/c'];
    for (const key of keys) await store.put(key, 'absent', bytes(key), { ttlSeconds: 100 });
    await store.put('/ttl/other', 'absent', bytes('x'), { ttlSeconds: 50 });
    const leases = await Promise.all(keys.map(lease));
    t.equal(new Set(leases).size, 1);
    t.not(await lease('/ttl/other'), leases[0]);
    const ttl = await other.leaseClient.leaseTimeToLive({ ID: leases[0] ?? '' });
    t.equal(ttl.grantedTTL, '105');

    let cuts = 0;
    const breaking = overriding(store, {
      async *watch(prefix, from, signal) {
        for await (const change of store.watch(prefix, from, signal)) {
          yield change;
          if (change.type !== 'progress' && change.more === true && cuts++ === 0) {
            throw new StorageError('unavailable', 'made to fail inside a revision');
          }
        }
      },
    });
    const cache = openCache(breaking, '/ttl/', raw);
    await cache.ready;
    const from = cache.seen;
    const told: Change<Uint8Array>[] = [];
    const sizes = new Set<number>();
    const stop = new AbortController();
    const watching = (async () => {
      for await (const change of cache.watch('/ttl/', from, stop.signal)) {
        if (change.type !== 'remove') continue;
        told.push(change);
        sizes.add(cache.snapshot().size);
        if (told.length === 3) stop.abort();
      }
    })();
    await other.leaseClient.leaseRevoke({ ID: leases[0] ?? '' });
    await watching;
    t.same(told.map(change => change.type === 'remove' && change.key).sort(), keys);
    t.equal(new Set(told.map(change => change.revision)).size, 1);
    t.ok(cuts > 1, 'the revision was reported twice');
    t.same([...sizes], [1], 'all of them expire at the same revision');
    await cache.close();
    await store.put('/ttl/again', 'absent', bytes('x'), { ttlSeconds: 100 });
    t.not(await lease('/ttl/again'), leases[0], 'an expired lease is replaced');
  });

  await t.test('only one of several servers compacts', async t => {
    const store = await opened(t, server);
    const client = new EtcdClient({ endpoints: [server.endpoint] }, systemClock);
    t.teardown(() => client.close());
    const other = etcd(t, server);
    const first = await compactRound(client, { version: 0, revision: 0 });
    t.equal(first.compacted, undefined, 'older revisions are compacted');
    const late = await compactRound(client, { version: 0, revision: 0 });
    t.same({ version: late.version, compacted: late.compacted }, { version: 1, compacted: undefined });
    const old = await store.revision();
    await store.put('/compacted', 'absent', bytes('1'));
    const won = await compactRound(client, first);
    const lost = await compactRound(client, late);
    t.equal(won.compacted, first.revision);
    t.equal(lost.compacted, undefined);
    t.equal(lost.version, won.version);
    t.equal(await other.get('compact_rev_key').string(), String(first.revision));
    t.equal(await errorCode(store.range('/', { at: (first.revision - 1) as Revision })), 'compacted');
    t.equal(await errorCode(store.range('/', { at: old })), 'none');
  });

  await t.test('a write whose answer is lost is not reported as a conflict', async t => {
    const direct = await opened(t, server);
    const proxy = await startProxy(t, server.endpoint);
    const store = await opened(t, proxy);
    proxy.deaf = true;
    const writing = errorCode(store.put('/lost', 'absent', bytes('mine')));
    await until('it is written', async () => (await direct.get('/lost')) !== undefined);
    proxy.cut();
    proxy.deaf = false;
    t.equal(await writing, 'unavailable');
    t.equal(text((await direct.get('/lost'))?.value), 'mine');
    t.match(await store.put('/lost', 'absent', bytes('mine')), { type: 'conflict' });
    // A write that never arrived is repeated.
    proxy.deaf = true;
    const reading = store.get('/lost');
    proxy.cut();
    proxy.deaf = false;
    t.equal(text((await reading)?.value), 'mine');
  });

  await t.test('an endpoint without server fails, and the next one is used', async t => {
    const proxy = await startProxy(t, 'http://127.0.0.1:1');
    const code = await errorCode(openEtcd({ endpoints: [proxy.endpoint], callMs: 300, attemptMs: 100 }));
    t.equal(code, 'unavailable');
    const store = await opened(t, server, { endpoints: [proxy.endpoint, server.endpoint] });
    t.equal(await errorCode(store.health()), 'none', 'the next endpoint answers');
  });
});

t.test('a cache survives a restart of its etcd', { skip: withoutEtcd }, async t => {
  const server = await startEtcd(t);
  const store = await openTestEtcd(server);
  const cache = openCache(store, '/a/', raw);
  await cache.ready;
  const from = cache.seen;
  const stop = new AbortController();
  const seen: number[] = [];
  const watching = (async () => {
    for await (const change of cache.watch('/a/', from, stop.signal)) {
      if (change.type === 'put') seen.push(change.revision);
    }
  })();
  const revisions: number[] = [];
  for (let round = 0; round < 3; round++) {
    revisions.push(written(await cache.put(`/a/${round}`, 'absent', bytes('1'))).revision);
    await until('the cache has seen it', () => cache.getCached(`/a/${round}`) !== undefined);
    await server.kill();
    t.equal(cache.getCached('/a/0')?.key, '/a/0', 'its items can still be read');
    const reading = cache.get('/a/0');
    await server.start();
    t.equal(text((await reading)?.value), '1');
  }
  await until('the watch has it all', () => seen.length === 3);
  t.same(seen, revisions);
  stop.abort();
  await watching;
  await cache.close();
  await store.close();
});

t.test(
  'a cluster that loses its leader loses no acknowledged write',
  { skip: withoutEtcd, timeout: 120_000 },
  async t => {
    const members = await startEtcdCluster(t, 3);
    const endpoints = members.map(member => member.endpoint);
    const store = await openEtcd({ endpoints, compactionIntervalMs: 0, callMs: 30_000, attemptMs: 2000 });
    const from = await store.revision();
    const stop = new AbortController();
    const told: number[] = [];
    const watching = (async () => {
      for await (const change of store.watch('/a/', from, stop.signal))
        if (change.type === 'put') told.push(change.revision);
    })();
    const leader = await leaderOf(t, members);
    const acknowledged: number[] = [];
    for (let i = 0; i < 30; i++) {
      if (i === 10) await leader.kill();
      const outcome = await store.put(`/a/${i}`, 'absent', bytes('1')).catch(() => undefined);
      if (outcome?.type === 'done') acknowledged.push(outcome.revision);
    }
    t.ok(acknowledged.length >= 28, `${acknowledged.length} of 30 writes were acknowledged`);
    const page = await store.range('/a/');
    await until('the watch has it all', () => told.length === page.items.length);
    t.same(acknowledged.filter(revision => !told.includes(revision)), []); // prettier-ignore
    t.same(
      [...told].sort((a, b) => a - b),
      told,
    );
    stop.abort();
    await watching;
    await store.close();
  },
);

async function leaderOf(t: Test, members: readonly EtcdServer[]): Promise<EtcdServer> {
  for (const member of members) {
    const status = await etcd(t, member).maintenance.status();
    if (status.leader === status.header.member_id) return member;
  }
  throw new Error('nobody leads');
}
