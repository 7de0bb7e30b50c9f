import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { cache, memoryOf } from '../../../aggregation/search/cached.js';
import type { Caches, Collection } from '../../../aggregation/search/caches.js';
import { HeldLists } from '../../../aggregation/search/held-lists.js';
import { requestAll } from '../../../aggregation/search/member-reads.js';
import { createReader } from '../../../aggregation/search/reader.js';
import { expired } from '../../../apimachinery/errors/status.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import type { RequestScope } from '../../../registry/pipeline/interface.js';
import { backend } from '../backend.js';
import { core, object } from '../fleet.js';

const objects = ['a', 'b', 'c'].map(name => cache(object('v1', 'ConfigMap', name), 'm'));
const bytes = objects.reduce((sum, each) => sum + memoryOf(each), 0);

t.test('the lists of all requests together have a limit', async t => {
  const lists = new HeldLists(2 * bytes);
  const [first, second] = [lists.request(), lists.request()];
  t.equal(first.take(objects, 'm'), bytes);
  t.equal(second.take(objects, 'm'), bytes);
  t.throws(() => second.take(objects.slice(1), 'other'), {
    ...{ code: 500, reason: 'InternalError' },
    message: /the list of cluster other is not read on: the lists of members take more than .* MiB/,
  });
  first.release(bytes);
  t.equal(second.take(objects, 'm'), bytes, 'what was released can be taken, and what was refused does not count');
  second.releaseAll();
  t.equal(first.take([...objects, ...objects], 'm'), 2 * bytes);
  first.releaseAll();
  first.releaseAll();
  t.throws(() => lists.request().take([...objects, ...objects, ...objects], 'm'), { code: 500 });
});

t.test('what a member answers after the end of a request does not count', async t => {
  const lists = new HeldLists(2 * bytes);
  const [first, second] = [lists.request(), lists.request()];
  first.take(objects, 'm');
  first.releaseAll();
  t.equal(first.take(objects, 'm'), 0);
  first.releaseAll();
  t.equal(second.take([...objects, ...objects], 'm'), 2 * bytes, 'the whole limit is left');
  first.release(bytes);
  t.throws(() => second.take(objects, 'm'), { code: 500 }, 'nothing is released twice');
});

/** Returns a page of a list of ConfigMaps of a hundred kilobytes. `token`: where it continues; '' at its end. */
const page = (token: string, ...names: readonly string[]) => ({
  ...{ kind: 'ConfigMapList', apiVersion: 'v1' },
  metadata: { resourceVersion: '7', ...(token !== '' && { continue: token }) },
  items: names.map(name =>
    object('v1', 'ConfigMap', name, {
      ...{ metadata: { name, resourceVersion: '7' }, data: { filler: 'x'.repeat(100_000) } },
    }),
  ),
});

/** Returns the ConfigMaps of a cluster whose member answers lists by their tokens; '' for the first page. Its mirror is not read. */
async function collectionOf(t: Test, cluster: string, pageAt: (token: string) => object): Promise<Collection> {
  const server = await backend(t);
  server.onRequest = ({ url = '' }, response) => {
    const answer = pageAt(new URL(url, server.url).searchParams.get('continue') ?? '');
    const { code = 200 } = answer as { readonly code?: number };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const endpoint = { server: server.url, ca: server.authority };
  const client = remote(endpoint, { userAgent: 'test/1.0' });
  t.teardown(() => client.close());
  const member = { name: cluster, client, endpoint, signal: new AbortController().signal };
  const resource = core('configmaps');
  return { cluster, member, resource, fields: {}, keptPaths: [], feed: { position: '7' } } as unknown as Collection;
}

t.test('a page that was read ahead and is read again is not held any more', async t => {
  let firstPages = 0;
  const collections = [
    await collectionOf(t, 'a', () => page('', 'a')),
    await collectionOf(t, 'b', token => {
      if (token !== '') return expired('too old').status;
      return ++firstPages === 1 ? page('old', 'former') : page('', 'present');
    }),
  ];
  const definition = nativeDefinitions().find(({ plural }) => plural === 'configmaps');
  const version = definition?.versions[0];
  const { signal } = new AbortController();
  const call = { definition, version, namespace: '', signal } as unknown as RequestScope;
  const caches = { collections: () => collections } as unknown as Caches;
  // Two of the three objects.
  const held = new HeldLists(250_000).request();
  const { items } = await createReader({ caches, held }).list(call, {});
  t.same(
    items.map(each => each.object.metadata.name),
    ['a', 'present'],
  );
});

t.test('objects that a watch has received are not read on after its end', async t => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const collection = await collectionOf(t, 'm', () => page('', ...names));
  const stopping = new AbortController();
  let read = 0;
  const has = (): boolean => {
    if (++read === 2) stopping.abort();
    return true;
  };
  const namespaces = { has } as unknown as ReadonlySet<string>;
  const held = new HeldLists(250_000).request();
  await t.rejects(requestAll({ ...collection, namespaces }, {}, { held, signal: stopping.signal }));
  t.equal(read, 2);
});
