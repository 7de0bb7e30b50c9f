import t from 'tap';
import { openEtcd } from '../../storage/etcd/open-etcd.js';
import { ServerAddresses } from '../../storage/server-addresses.js';
import { startEtcd, withoutEtcd } from './etcd-server.js';

t.test('servers of one store announce their addresses to each other', { skip: withoutEtcd }, async t => {
  const etcd = await startEtcd(t);
  const store = await openEtcd({ endpoints: [etcd.endpoint], compactionIntervalMs: 0 });
  t.teardown(() => store.close());
  const addresses = (host: string, shared = true): ServerAddresses => new ServerAddresses(store, { host, shared });
  const [a, b] = [addresses('192.0.2.2'), addresses('192.0.2.1')];
  t.same(await a.announce(), ['192.0.2.2']);
  t.same(await b.announce(), ['192.0.2.1', '192.0.2.2']);
  const before = await store.get('/registry/masterleases/192.0.2.2');
  t.same(await a.announce(), ['192.0.2.1', '192.0.2.2']);
  t.not((await store.get('/registry/masterleases/192.0.2.2'))?.revision, before?.revision, 'the key is renewed');
  await b.retire();
  await b.retire();
  t.same(await a.announce(), ['192.0.2.2']);

  t.same(await addresses('127.0.0.1').announce(), [], 'a loopback address is not announced');
  t.same(await addresses('a-name').announce(), [], 'only IP addresses are announced');
  t.same(await addresses('192.0.2.3', false).announce(), ['192.0.2.3'], 'a single server writes no key');
  t.same(await a.announce(), ['192.0.2.2']);
});
