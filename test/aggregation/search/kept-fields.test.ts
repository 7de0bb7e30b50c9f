/** A registry may keep chosen fields only: search shows these, and proxying still has whole objects. */
import t from 'tap';
import { KeptFields, keptPaths } from '../../../aggregation/search/kept-fields.js';
import { cache } from '../../../aggregation/search/cached.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { WatchQuery } from '../../../client/interface.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../authn/serve.js';
import { clientBelow, controlPlane, core, join, memberServer, object, setReady, startFleet } from '../fleet.js';
import { frontOf, readerToken } from './front.js';

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a',
    namespace: 'b',
    uid: 'u',
    resourceVersion: '7',
    labels: { l: '1' },
    annotations: { long: 'x' },
  },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', env: [{ name: 'E' }] }, { name: 'd' }], empty: {} },
  status: { phase: 'Running', podIP: '1.2.3.4' },
};
const { annotations: _, ...metadata } = pod.metadata;

t.test('objects are reduced to paths', t => {
  const rows: [text: string, want: object][] = [
    ['', {}],
    ['spec.nodeName, status.phase,', { spec: { nodeName: 'n' }, status: { phase: 'Running' } }],
    ['spec.containers.image', { spec: { containers: [{ image: 'i' }] } }],
    ['spec.containers.name', { spec: { containers: [{ name: 'c' }, { name: 'd' }] } }],
    ['status,status.phase', { status: pod['status'] }],
    ['status.phase,status', { status: pod['status'] }],
    ['metadata.annotations', { metadata: pod.metadata }],
    ['none.a,spec.nodeName.x,spec.empty.a,spec.containers.env.none,__proto__.a,toString', {}],
  ];
  for (const [text, more] of rows) {
    const reduced = new KeptFields(keptPaths(text)).of(pod);
    t.same(reduced, { apiVersion: 'v1', kind: 'Pod', metadata, ...more }, text);
  }
  const own = JSON.parse('{"apiVersion":"v1","kind":"X","metadata":{},"__proto__":{"a":1}}') as KubeObject;
  const reduced = new KeptFields(['__proto__.a']).of(own);
  t.equal(JSON.stringify(reduced['__proto__']), '{"a":1}');
  t.equal(Object.getPrototypeOf(reduced), Object.prototype);
  const many = Array.from({ length: 150 }, (_, i) => `f${i}`);
  const wide = { apiVersion: 'v1', kind: 'X', metadata: {}, ...Object.fromEntries(many.map(name => [name, 1])) };
  t.equal(Object.keys(new KeptFields(many).of(wide)).length, 103, 'the number of paths is limited');
  t.end();
});

t.test('the text has the kept fields, and selectors know those of the whole object', t => {
  const readers = { 'spec.nodeName': (each: KubeObject) => (each['spec'] as { nodeName: string }).nodeName };
  const [whole, part] = [cache(pod, 'm', readers), cache(pod, 'm', readers, new KeptFields(['status.phase']))];
  t.same(part.fields, { 'spec.nodeName': 'n' });
  t.same(part.object['spec'], undefined);
  t.ok(part.json.length < whole.json.length * 0.7, `${part.json.length} of ${whole.json.length} bytes`);
  t.end();
});

t.test('search shows the kept fields, proxying whole objects', async t => {
  const { control, members } = await startFleet(t, 1, { ready: true });
  const [member] = members;
  const configMaps = core('configmaps');
  const namespace = 'default';
  const create = (name: string) =>
    member?.client.create(
      configMaps,
      object('v1', 'ConfigMap', name, {
        metadata: { namespace, labels: { mine: 'yes' } },
        data: { kept: 'apple', other: 'pear' },
      }),
    );
  await create('a');
  const registry = (name: string, marks: object): KubeObject =>
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, {
      metadata: { annotations: marks },
      spec: { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
    });
  await control.client.create(
    resources.resourceRegistries,
    registry('part', { [annotations.keptFields]: 'data.kept' }),
  );
  const ask = httpClient(t, control);
  const root = '/apis/search.karmada.io/v1alpha1/search/cache';
  const path = `${root}/api/v1/namespaces/default/configmaps?labelSelector=mine%3Dyes`;
  const shown = async (): Promise<unknown> => (await ask(`GET ${path}`)).json.items.map(each => each['data']);
  const total = async (query: string): Promise<unknown> => (await ask(`GET ${root}?q=${query}`)).json['total'];
  await until(async () => JSON.stringify(await shown()) === '[{"kept":"apple"}]' && (await total('apple')) === 1);
  t.equal(await total('pear'), 0);

  const client = clientBelow(t, control, '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy');
  const whole = { kept: 'apple', other: 'pear' };
  const mine = { labelSelector: 'mine=yes' };
  for (const query of [mine, { ...mine, resourceVersion: '0' }]) {
    const { items } = await client.list(configMaps, query);
    t.same(
      items.map(each => each['data']),
      [whole],
      JSON.stringify(query),
    );
  }
  for (const options of [{}, { resourceVersion: '0' }])
    t.same((await client.get(configMaps, { namespace, name: 'a' }, options))['data'], whole);
  const stop = new AbortController();
  const seen: unknown[] = [];
  for await (const event of client.watch(configMaps, { ...mine, timeoutSeconds: 60 }, stop.signal)) {
    seen.push([event.type, event.object.metadata.name, event.object['data']]);
    if (seen.length === 1) await create('b');
    if (seen.length === 2) break;
  }
  stop.abort();
  t.same(seen, [
    ['ADDED', 'a', whole],
    ['ADDED', 'b', whole],
  ]);

  await control.client.create(resources.resourceRegistries, registry('whole', {}));
  await until(async () => JSON.stringify(await shown()) === JSON.stringify([whole, whole]));
  await until(async () => (await total('pear')) === 2);
  await control.client.delete(resources.resourceRegistries, { name: 'whole' });
  await until(async () => JSON.stringify(await shown()) === '[{"kept":"apple"},{"kept":"apple"}]');
});

t.test('a watch asks all members at once, and ends its requests with itself', async t => {
  const control = await controlPlane(t);
  const configMaps = core('configmaps');
  const metadata = { namespace: 'default', labels: { mine: 'yes' } };
  const members = await Promise.all([memberServer(t), memberServer(t)]);
  const fronts = await Promise.all(members.map(each => frontOf(t, each)));
  const [front, other] = fronts;
  const [, member] = members;
  if (!front || !other || !member) return t.fail('no members');
  for (const [i, { url: server, authority }] of fronts.entries()) {
    const name = `member${i + 1}`;
    const each = members[i] ?? member;
    await each.client.create(configMaps, object('v1', 'ConfigMap', name, { metadata }));
    await join(control, name, { server, authority, token: await readerToken(each) });
    await setReady(control, name, 'True');
  }
  await control.client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'part', {
      metadata: { annotations: { [annotations.keptFields]: 'data.kept' } },
      spec: { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
    }),
  );
  const ask = httpClient(t, control);
  const path = '/apis/search.karmada.io/v1alpha1/search/cache/api/v1/configmaps?labelSelector=mine%3Dyes';
  await until(async () => (await ask(`GET ${path}`)).json.items.length === 2);

  const client = clientBelow(t, control, '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy');
  const isList = (path: string): boolean =>
    /^\/api\/v1\/configmaps\?.*mine%3Dyes/.test(path) && !path.includes('watch=');
  const lists: string[] = [];
  other.onRequest = path => isList(path) && void lists.push(path);
  const mine = { labelSelector: 'mine=yes' };
  const eventsOf = async (query: WatchQuery, signal = new AbortController().signal, count = 0): Promise<string[]> => {
    const seen: string[] = [];
    for await (const { type, object } of client.watch(configMaps, { ...mine, ...query }, signal))
      if (seen.push(`${type} ${object.metadata.name}`) === count) break;
    return seen;
  };

  front.holds = isList;
  const stop = new AbortController();
  const left = eventsOf({ timeoutSeconds: 600 }, stop.signal);
  await until(() => front.held.size === 1 && lists.length === 1);
  stop.abort();
  await left;
  await until(() => front.held.size === 0);
  t.same(await eventsOf({ timeoutSeconds: 1 }), [], 'the watch ends after its timeout');
  await until(() => front.held.size === 0);

  Object.assign(front, { holds: () => false, refuses: isList });
  other.holds = isList;
  const refusal = await eventsOf({ timeoutSeconds: 600 }).catch((error: unknown) => error);
  t.match(refusal, { status: { code: 404 } }, 'a member that refuses ends the watch');
  await until(() => other.held.size === 0);
  for (const each of fronts) Object.assign(each, { holds: () => false, refuses: () => false });
  t.same(await eventsOf({ timeoutSeconds: 600 }, undefined, 2), ['ADDED member1', 'ADDED member2'], 'in their order');

  lists.length = 0;
  const watches: string[] = [];
  const isWatch = (path: string): boolean => /^\/api\/v1\/configmaps\?/.test(path) && /mine%3Dyes/.test(path);
  other.onRequest = path => {
    if (isList(path)) lists.push(path);
    else if (isWatch(path)) watches.push(path);
  };
  for (const [i, resourceVersion] of ['', '0'].entries()) {
    const noInitial = { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan', resourceVersion } as const;
    const later = eventsOf({ ...noInitial, timeoutSeconds: 600 }, undefined, 1);
    await until(() => watches.length > i);
    await member.client.create(configMaps, object('v1', 'ConfigMap', `late${i}`, { metadata }));
    t.same(await later, [`ADDED late${i}`], 'only changes');
  }
  t.same(lists, [], 'without initial events no list is read');
  t.match(watches[0], /[?&]resourceVersion=[1-9]/, 'the watch of the member begins at the version of its mirror');
});
