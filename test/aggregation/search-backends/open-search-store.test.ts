import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import type { OpenSearchSettings, Source } from '../../../aggregation/search-backends/interface.js';
import { documentOf } from '../../../aggregation/search-backends/document.js';
import { OpenSearchClient } from '../../../aggregation/search-backends/open-search-client.js';
import { OpenSearchStore } from '../../../aggregation/search-backends/open-search-store.js';
import { createAuthority, issueServing } from '../../../authn/pki/authority.js';
import { annotations } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { until } from '../../authn/serve.js';
import { type Logger, silent } from '../../../lib/logging/interface.js';
import { meter } from '../../../apiserver/metrics/meter.js';
import { FakeOpenSearch } from './fake-open-search.js';

const index = 'kubernetes-configmap';

type Listener = Parameters<Source['onChange']>[0];

/** Objects whose names are their keys and uids. */
class TestSource implements Source {
  readonly cluster: string;
  apiVersion = 'v1';
  kind = 'ConfigMap';
  readonly synced = Promise.resolve();
  hasSynced = true;
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<Listener>();
  #version = 0;

  constructor(cluster = 'member1', ...names: readonly string[]) {
    this.cluster = cluster;
    for (const name of names) this.put(name);
  }

  get id(): string {
    return `${this.cluster} ${this.apiVersion} ${this.kind}`;
  }

  get(key: string): { uid: string; version: string; object: KubeObject } | undefined {
    const object = this.#objects.get(key);
    return object && { uid: object.metadata.uid ?? '', version: object.metadata.resourceVersion ?? '', object };
  }

  includes(namespace: string): boolean {
    return namespace === 'default';
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(name: string, more: object = {}): void {
    const before = this.#objects.get(name)?.metadata.uid;
    const marks = { [annotations.cachedFromCluster]: this.cluster };
    const metadata = {
      ...{ name, namespace: 'default', uid: name, annotations: marks },
      resourceVersion: String(++this.#version),
    };
    this.#objects.set(name, { apiVersion: 'v1', kind: this.kind, metadata, ...more });
    for (const listener of this.#listeners) listener(name, [before, name]);
  }

  /** Reports the object again, without a change. */
  repeat(name: string): void {
    for (const listener of this.#listeners) listener(name, [name, name]);
  }

  remove(name: string): void {
    this.#objects.delete(name);
    for (const listener of this.#listeners) listener(name, [name, undefined]);
  }
}

const settingsFor = (address: string): OpenSearchSettings => ({
  addresses: [address],
  username: 'user',
  password: 'secret',
  ca: '',
});

interface Started {
  readonly fake: FakeOpenSearch;
  readonly store: OpenSearchStore;
  readonly lines: readonly object[];
  readonly address: string;
}

async function start(
  t: Test,
  prepare: (fake: FakeOpenSearch) => void = () => undefined,
  more: Partial<ConstructorParameters<typeof OpenSearchStore>[1]> = {},
): Promise<Started> {
  const fake = new FakeOpenSearch();
  prepare(fake);
  const address = await fake.listen(t);
  const lines: object[] = [];
  const line = (fields: object, msg: string): void => void lines.push({ ...fields, msg });
  const log: Logger = { ...silent, info: line, warn: line, error: line };
  const deps = { log, clock: systemClock, registry: 'r', ...more };
  const store = new OpenSearchStore(settingsFor(address), deps);
  t.teardown(() => store.close());
  return { fake, store, lines, address };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `o${String(i).padStart(4, '0')}`);

t.test('documents are those of Karmada', t => {
  const metadata = {
    name: 'a',
    creationTimestamp: '2024-01-01T00:00:00Z',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    uid: 'u',
  };
  const whole = { apiVersion: 'v1', kind: 'Node', metadata, spec: { b: '<1>', a: 2 }, status: {} };
  t.same(JSON.parse(documentOf(whole)), {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'a',
      namespace: '',
      creationTimestamp: '2024-01-01T00:00:00Z',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      deletionTimestamp: null,
    },
    spec: '{"a":2,"b":"\\u003c1\\u003e"}',
    status: '{}',
  });
  const {
    spec,
    status,
    metadata: bare,
  } = JSON.parse(documentOf({ apiVersion: 'v1', kind: 'A', metadata: {} })) as Record<string, unknown>;
  t.same([spec, status], ['null', 'null']);
  t.match(bare, { labels: null, annotations: null, creationTimestamp: '0001-01-01T00:00:00Z' });
  t.end();
});

t.test('the copy of an object that kubectl keeps in an annotation is not sent', t => {
  const copy = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aGlkZGVu"}}' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations: { ...copy, a: 'b' } } };
  t.notMatch(documentOf({ ...secret, data: { password: 'aGlkZGVu' } }), /aGlkZGVu/);
  t.match(JSON.parse(documentOf(secret)), { metadata: { annotations: { a: 'b' } } });
  t.end();
});

t.test('objects, their changes and their deletions are sent in bulk, with the credentials', async t => {
  const { fake, store } = await start(t);
  const source = new TestSource('member1', ...names(1200));
  store.follow([source]);
  await until(() => fake.ids(index).length === 1200);
  t.ok(fake.bulks.length < 10, `${fake.bulks.length} requests`);
  t.same([...fake.authorizations], [`Basic ${Buffer.from('user:secret').toString('base64')}`]);
  t.match(fake.created.get(index), {
    settings: { index: { number_of_shards: 1 } },
    mappings: { properties: { spec: { enabled: false } } },
  });
  source.put('o0001', { spec: { changed: true } });
  source.put('late');
  source.remove('o0000');
  await until(() => fake.ids(index).includes('late') && !fake.ids(index).includes('o0000'));
  await until(() => fake.documents.get(index)?.get('o0001')?.['spec'] === '{"changed":true}');
  store.follow([]);
  source.put('unseen');
  store.follow([source]);
  await until(() => fake.ids(index).includes('unseen'));
});

/** A document as a store reads it. */
const document = (cluster: string, { apiVersion = 'v1', namespace = 'default' } = {}) => ({
  apiVersion,
  kind: 'ConfigMap',
  metadata: { namespace, annotations: { [annotations.cachedFromCluster]: cluster, long: 'unread' } },
});

t.test('documents without an object are deleted, and those of other sources stay', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = [
      ...names(5).map(name => [name, document('member1')] as const),
      ['x-cluster', document('member2')] as const,
      ['x-group', document('member1', { apiVersion: 'example.com/v1' })] as const,
      ['x-namespace', document('member1', { namespace: 'other' })] as const,
      ['x-none', {}] as const,
    ];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  const source = new TestSource('member1', 'o0001', 'new');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'new,o0001,x-cluster,x-group,x-namespace,x-none');
});

t.test('documents of a version that nothing selects any more are deleted', async t => {
  const prepare = (fake: FakeOpenSearch): void => {
    const entries = [
      ['gone', document('member1', { apiVersion: 'v0' })] as const,
      ['there', document('member1', { apiVersion: 'v0' })] as const,
      ['x-cluster', document('member2', { apiVersion: 'v0' })] as const,
      ['x-namespace', document('member1', { apiVersion: 'v0', namespace: 'other' })] as const,
      ['x-selected', document('member1', { apiVersion: 'v2' })] as const,
    ];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  };
  const { fake, store } = await start(t, prepare, { isSelected: ({ apiVersion }) => apiVersion === 'v2' });
  store.follow([new TestSource('member1', 'there')]);
  await until(() => fake.ids(index).join() === 'there,x-cluster,x-namespace,x-selected');
  t.match(fake.documents.get(index)?.get('there'), { apiVersion: 'v1' });
});

t.test('when one of two versions of a kind leaves, its documents are compared with the other one', async t => {
  const { fake, store } = await start(t);
  const [older, newer] = [new TestSource('member1', 'a', 'older'), new TestSource('member1', 'a')];
  older.apiVersion = 'v0';
  store.follow([older, newer]);
  await until(() => fake.ids(index).join() === 'a,older' && store.queued === 0);
  store.follow([newer]);
  await until(() => fake.ids(index).join() === 'a');
  newer.put('late');
  await until(() => fake.ids(index).join() === 'a,late');
});

t.test('sources of one index share a pass over its documents, which reads no more than it needs', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = names(6).map((name, i) => [name, document(`member${i % 3}`)] as const);
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  store.follow(['member0', 'member1', 'member2'].map(cluster => new TestSource(cluster, `new-${cluster}`)));
  await until(() => fake.ids(index).join() === 'new-member0,new-member1,new-member2');
  t.equal(fake.searches.length, 1);
  t.notMatch(JSON.stringify(fake.searches), /unread/);
});

t.test('a source that has stopped before it was known is not compared', async t => {
  const { fake, store } = await start(t, fake => {
    const entries = [['a', document('member1')] as const, ['b', document('member2')] as const];
    fake.documents.set(index, new Map<string, object>(entries) as never);
  });
  const stopped = new TestSource('member1');
  stopped.hasSynced = false;
  // The sources are compared one after the other.
  store.follow([stopped, new TestSource('member2', 'new')]);
  await until(() => fake.ids(index).join() === 'a,new');
});

t.test(
  'what an overloaded store did not take is sent again, and an object that it refuses does not delay others',
  async t => {
    let left = 5;
    const { fake, store, lines } = await start(t, fake => {
      fake.refuses = ({ id }) => {
        if (id === 'o0003') return { status: 400, type: 'mapper_parsing_exception' };
        if (id === 'o0001' && left-- > 0) return { status: 429, type: 'rejected_execution_exception' };
        return undefined;
      };
    });
    const source = new TestSource('member1', ...names(6));
    store.follow([source]);
    await until(() => fake.ids(index).join() === 'o0000,o0001,o0002,o0004,o0005');
    await until(() => store.queued === 0);
    const said = { registry: 'r', cluster: 'member1', kind: 'ConfigMap', object: 'o0003' };
    t.match(lines, [{ msg: /^an OpenSearch refuses an object/, ...said, cause: 'mapper_parsing_exception: one' }]);
    fake.refuses = () => undefined;
    source.put('o0003', { spec: 'mended' });
    await until(() => fake.ids(index).includes('o0003'));
    await until(() => lines.length === 2);
    t.match(lines[1], { msg: /^an object that an OpenSearch refused is accepted/, ...said });
  },
);

/** Returns how often the OpenSearch got an object. */
const timesSent = ({ bulks }: FakeOpenSearch, name: string): number =>
  bulks.flatMap(({ operations }) => operations).filter(({ id }) => id === name).length;

/** Returns a metric of the registry `r`. */
async function valueOf(registry: Registry, name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find(each => each.startsWith(`${name}{registry="r"}`));
  return Number(line?.split(' ')[1]);
}

t.test('a refused object is not sent again until it changes, and is counted', async t => {
  const metrics = new Registry();
  const refuses: FakeOpenSearch['refuses'] = ({ id, type }) =>
    id === 'bad' && type === 'index' ? { status: 400, type: 'mapper_parsing_exception' } : undefined;
  const { fake, store, lines } = await start(t, fake => (fake.refuses = refuses), { meter: meter(metrics) });
  const source = new TestSource('member1', 'bad', 'good');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'good' && store.queued === 0);
  await until(async () => (await valueOf(metrics, 'flagship_search_refused_objects')) === 1);
  source.repeat('bad');
  // Another source of the kind: all documents are compared again.
  store.follow([source, new TestSource('member2', 'second')]);
  source.put('good', { spec: 1 });
  await until(() => fake.ids(index).includes('second') && store.queued === 0);
  store.follow([source]);
  source.put('later');
  await until(() => fake.ids(index).includes('later') && store.queued === 0);
  t.equal(timesSent(fake, 'bad'), 1, 'the same state is sent once');
  source.put('bad', { spec: 'changed' });
  await until(() => timesSent(fake, 'bad') === 2 && store.queued === 0);
  await until(async () => (await valueOf(metrics, 'flagship_search_refusals_total')) === 2);
  t.equal(await valueOf(metrics, 'flagship_search_refused_objects'), 1);
  t.equal(lines.length, 1, 'one line for the state');
  source.remove('bad');
  await until(async () => (await valueOf(metrics, 'flagship_search_refused_objects')) === 0);
  t.equal(timesSent(fake, 'bad'), 3, 'its document is deleted');
});

t.test('a refused object is sent to an index that is created anew, as are all others of it', async t => {
  const { fake, store } = await start(t, fake => {
    fake.refuses = ({ id }) => (id === 'bad' ? { status: 400, type: 'mapper_parsing_exception' } : undefined);
  });
  const source = new TestSource('member1', 'bad', 'good');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'good' && store.queued === 0);
  fake.refuses = () => undefined;
  fake.documents.delete(index);
  source.put('late');
  await until(() => fake.ids(index).join() === 'bad,good,late');
});

t.test('a request that is refused because of one object is divided until only that one is left out', async t => {
  for (const [status, type] of [
    [400, 'action_request_validation_exception'],
    [413, ''],
  ] as const) {
    const { fake, store, lines } = await start(t, fake => {
      fake.refusesWith = operations => (operations.some(({ id }) => id === 'o0007') ? { status, type } : undefined);
    });
    const source = new TestSource('member1', ...names(20));
    store.follow([source]);
    await until(() => fake.ids(index).length === 19 && store.queued === 0);
    t.match(lines, [{ msg: /^an OpenSearch refuses an object/, object: 'o0007' }], type);
  }
});

t.test('what a proxy, a closed index or missing rights refuse is sent again', async t => {
  const rows = [
    { status: 400, type: 'index_closed_exception' },
    { status: 403, type: 'cluster_block_exception' },
    { status: 500, type: 'exception' },
  ];
  for (const row of rows) {
    const { fake, store } = await start(t, fake => (fake.refuses = ({ id }) => (id === 'b' ? row : undefined)));
    const source = new TestSource('member1', 'a', 'b');
    store.follow([source]);
    await until(() => fake.ids(index).join() === 'a' && timesSent(fake, 'b') > 1);
    source.put('c');
    await until(() => fake.ids(index).join() === 'a,c');
    fake.refuses = () => undefined;
    await until(() => fake.ids(index).join() === 'a,b,c');
  }
  const { fake, store } = await start(t, fake => (fake.refusesWith = () => ({ status: 400, type: '' })));
  store.follow([new TestSource('member1', 'a', 'b')]);
  await until(() => fake.authorizations.size > 0 && fake.bulksRefused > 1);
  fake.refusesWith = () => undefined;
  await until(() => fake.ids(index).join() === 'a,b');
});

t.test('an index that cannot be created does not delay the objects of others', async t => {
  const { fake, store } = await start(t, fake => {
    fake.refusesIndex = name =>
      name === 'kubernetes-secret' ? { status: 400, type: 'validation_exception' } : undefined;
  });
  const secrets = new TestSource('member1', 's');
  secrets.kind = 'Secret';
  const others = new TestSource('member1', 'a');
  store.follow([secrets, others]);
  await until(() => fake.ids(index).join() === 'a' && fake.indexesRefused > 1);
  others.put('b');
  await until(() => fake.ids(index).join() === 'a,b');
  fake.refusesIndex = () => undefined;
  await until(() => fake.ids('kubernetes-secret').join() === 's');
});

t.test('an object without a document is logged, and does not delay others', async t => {
  const { fake, store, lines } = await start(t);
  const source = new TestSource('member1', 'a');
  let deep: object = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  source.put('deep', { spec: deep });
  source.put('z');
  store.follow([source]);
  await until(() => fake.ids(index).join() === 'a,z' && store.queued === 0);
  t.match(lines, [{ msg: /^an OpenSearch refuses an object/, object: 'deep', err: RangeError }]);
});

t.test('a comparison goes on where single objects fail', async t => {
  let left = 20;
  const { fake, store } = await start(t, fake => {
    fake.refuses = ({ id }) =>
      id.endsWith('7') && left-- > 0 ? { status: 429, type: 'rejected_execution_exception' } : undefined;
  });
  store.follow([new TestSource('member1', ...names(1200))]);
  await until(() => fake.ids(index).length === 1200 && store.queued === 0);
  t.equal(timesSent(fake, 'o0000'), 1, 'it does not begin anew');
});

t.test('a store that answers 429, 503 or 413 gets everything later', async t => {
  for (const status of [429, 503, 413]) {
    const { fake, store } = await start(t, fake => (fake.refusesAll = { status, type: 'refused' }));
    const source = new TestSource('member1', ...names(20));
    store.follow([source]);
    await until(() => fake.authorizations.size > 0);
    source.remove('o0000');
    fake.refusesAll = undefined;
    await until(() => fake.ids(index).length === 19);
  }
});

t.test('a store that is down gets everything when it is back', async t => {
  const { fake, store, address } = await start(t);
  const source = new TestSource('member1', 'a', 'b');
  store.follow([source]);
  await until(() => fake.ids(index).length === 2);
  fake.close();
  source.remove('a');
  source.put('c');
  await until(() => store.queued > 0);
  await fake.listen(t, { port: Number(new URL(address).port) });
  await until(() => fake.ids(index).join() === 'b,c');
});

t.test('an index that was deleted is created again', async t => {
  const { fake, store } = await start(t);
  const source = new TestSource('member1', 'a');
  store.follow([source]);
  await until(() => fake.ids(index).length === 1);
  fake.documents.delete(index);
  source.put('b');
  await until(() => fake.ids(index).includes('b'));
});

t.test('a slow store has one request at a time, and the queue is bounded; nothing is lost', async t => {
  let open = (): void => undefined;
  const { fake, store } = await start(t, fake => (fake.gate = new Promise(resolve => (open = resolve))), {
    maxQueued: 10,
  });
  const source = new TestSource('member1', ...names(30));
  store.follow([source]);
  await until(() => fake.created.size > 0);
  for (const name of names(100)) source.put(name, { spec: 1 });
  for (const name of names(50)) source.remove(name);
  t.ok(store.queued <= 10 + 30, `${store.queued} are queued`);
  t.ok(fake.bulks.length === 0);
  open();
  await until(() => fake.ids(index).length === 50 && fake.ids(index)[0] === 'o0050');
});

t.test('the certificate is verified', async t => {
  const authority = await createAuthority();
  const { certificate: cert, key } = await issueServing(authority, ['127.0.0.1']);
  const fake = new FakeOpenSearch();
  const address = await fake.listen(t, { tls: { cert, key } });
  const unknown = new OpenSearchClient(settingsFor(address));
  const known = new OpenSearchClient({ ...settingsFor(address), ca: authority.certificate });
  t.teardown(() => Promise.all([unknown.close(), known.close()]));
  await t.rejects(unknown.createIndex('a'), { message: /certificate/ });
  await known.createIndex('a');
  await known.createIndex('a');
  t.ok(fake.documents.has('a'));
});

t.test('an answer is read to a limit, is not decompressed, and has to be JSON', async t => {
  let answer: (response: http.ServerResponse) => void = () => undefined;
  const server = http.createServer((_request, response) => {
    response.on('error', () => undefined);
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new OpenSearchClient(settingsFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  t.teardown(() => client.close());
  const piece = 'x'.repeat(65_536);
  let ended = false;
  answer = response => {
    const more = (): void => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once('drain', more);
    };
    response.on('close', () => (ended = true));
    more();
  };
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: the answer is longer than 8 MiB', status: 0 });
  await until(() => ended);
  answer = response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(' '.repeat(1000)));
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: it is not JSON' });
  answer = response => response.end('[]');
  await t.rejects(client.bulk(''), { message: 'POST /_bulk: it is no JSON object' });
  answer = response => response.writeHead(502, { 'content-type': 'application/json' }).end('{');
  await t.rejects(client.bulk(''), { message: 'the answer has the status 502', status: 502, type: '' });
  answer = response => response.end('{"items":[null,{"index":{"status":201}},{"index":1}]}');
  t.strictSame(
    (await client.bulk('')).map(({ status }) => status),
    [0, 201, 0],
  );
});

t.test('another address is asked when one is unavailable', async t => {
  const [down, fake] = [new FakeOpenSearch(), new FakeOpenSearch()];
  down.refusesAll = { status: 503, type: '' };
  const addresses = [await down.listen(t), await fake.listen(t)];
  const client = new OpenSearchClient({ ...settingsFor(''), addresses });
  t.teardown(() => client.close());
  for (const name of ['a', 'b', 'c']) await client.createIndex(name);
  t.strictSame([...fake.created.keys()], ['a', 'b', 'c']);
});

t.test('an address that was down is asked again when the other one is unavailable', async t => {
  const [down, back] = [new FakeOpenSearch(), new FakeOpenSearch()];
  const addresses = [await down.listen(t), await back.listen(t)];
  const client = new OpenSearchClient({ ...settingsFor(''), addresses });
  t.teardown(() => client.close());
  back.close();
  for (const name of ['a', 'b', 'c']) await client.createIndex(name);
  t.strictSame([...down.created.keys()], ['a', 'b', 'c']);
  await back.listen(t, { port: Number(new URL(addresses[1] ?? '').port) });
  down.refusesAll = { status: 503, type: '' };
  for (const name of ['d', 'e', 'f']) await client.createIndex(name);
  t.strictSame([...back.created.keys()], ['d', 'e', 'f']);
});

t.test(
  'a real OpenSearch',
  { skip: process.env['OPENSEARCH_URL'] === undefined && 'OPENSEARCH_URL is not set' },
  async t => {
    const { username, password, origin } = new URL(process.env['OPENSEARCH_URL'] ?? '');
    const settings = { addresses: [origin], username, password, ca: '' };
    const store = new OpenSearchStore(settings, { log: silent, clock: systemClock, registry: 'r' });
    const client = new OpenSearchClient(settings);
    t.teardown(() => Promise.all([store.close(), client.close()]));
    const cluster = `test-${process.pid}`;
    const found = async (): Promise<string[]> => {
      const ids: string[] = [];
      try {
        for await (const page of client.documents(index))
          ids.push(...page.filter(each => each.cluster === cluster).map(({ id }) => id));
      } catch {
        // There is no index yet.
      }
      return ids.sort();
    };
    const source = new TestSource(cluster, `${cluster}-a`, `${cluster}-b`);
    store.follow([source]);
    await until(async () => (await found()).length === 2);
    for (const name of ['a', 'b']) source.remove(`${cluster}-${name}`);
    await until(async () => (await found()).length === 0);
  },
);
