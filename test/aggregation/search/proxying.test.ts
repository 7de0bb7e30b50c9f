import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { WatchEvent } from '../../../client/interface.js';
import { encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../authn/serve.js';
import { clientBelow, core, object, setReady, startFleet } from '../fleet.js';

const root = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';
const configMaps = core('configmaps');
const run = promisify(execFile);

const configMap = (name: string, more: object = {}): KubeObject =>
  object('v1', 'ConfigMap', name, { metadata: { namespace: 'default' }, ...more });

const read = (version: string | undefined): unknown =>
  JSON.parse(Buffer.from(version ?? '', 'base64url').toString('utf8')) as unknown;

const namesIn = (items: readonly KubeObject[]): string[] => items.map(({ metadata }) => metadata.name ?? '');

const { control, ...fleet } = await startFleet(t, 2, { ready: true });
const members = fleet.members as readonly [TestServer, TestServer];
const client = clientBelow(t, control, root);
const ask = httpClient(t, control);

t.before(async () => {
  for (const [i, member] of members.entries()) {
    for (const name of [`a-${i + 1}`, `b-${i + 1}`])
      await member.client.create(configMaps, configMap(name, { data: { from: `${i + 1}` } }));
    await member.client.create(configMaps, configMap('both'));
  }
  const spec = {
    targetCluster: { clusterNames: ['member1', 'member2'] },
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' }],
  };
  await control.client.create(
    resources.resourceRegistries,
    object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec }),
  );
  await until(async () => {
    const { items } = await client.list(configMaps, { resourceVersion: '0' });
    return namesIn(items).includes('a-1') && namesIn(items).includes('a-2');
  });
});

t.test('lists cover all clusters, sorted by cluster, with a resourceVersion per cluster', async t => {
  for (const query of [{}, { resourceVersion: '0' }]) {
    const { items, metadata, kind } = await client.list(configMaps, query);
    t.equal(kind, 'ConfigMapList');
    const mine = items.filter(({ metadata }) => /^(?:[ab]-|both)/.test(metadata.name ?? ''));
    t.same(namesIn(mine), ['a-1', 'b-1', 'both', 'a-2', 'b-2', 'both']);
    t.same(
      mine.map(({ metadata }) => metadata.annotations?.[annotations.cachedFromCluster]),
      ['member1', 'member1', 'member1', 'member2', 'member2', 'member2'],
    );
    t.notOk(
      items.some(({ metadata }) => metadata.namespace !== 'default'),
      'resources of no registry are not listed',
    );
    t.match(read(metadata.resourceVersion), { member1: /^\d+$/, member2: /^\d+$/ });
  }
});

t.test('pages continue across clusters', async t => {
  const names: string[] = [];
  let token: string | undefined;
  let pages = 0;
  do {
    const list = await client.list(configMaps, {
      limit: 2,
      namespace: 'default',
      ...(token ? { continue: token } : {}),
    });
    names.push(...namesIn(list.items));
    token = list.metadata.continue;
    pages++;
  } while (token);
  t.same(
    names.filter(name => /^(?:[ab]-|both)/.test(name)),
    ['a-1', 'b-1', 'both', 'a-2', 'b-2', 'both'],
  );
  t.ok(pages >= 3, `${pages} pages`);
});

t.test('a page of a member without any selected object is not its last one', async t => {
  for (const [i, { client: member }] of members.entries()) {
    await member.create(core('namespaces'), object('v1', 'Namespace', 'a'));
    for (const name of ['x', 'y', 'z'])
      await member.create(configMaps, object('v1', 'ConfigMap', `${name}${i}`, { metadata: { namespace: 'a' } }));
  }
  const names: string[] = [];
  let token: string | undefined;
  do {
    const list = await client.list(configMaps, { limit: 2, ...(token ? { continue: token } : {}) });
    names.push(...namesIn(list.items));
    token = list.metadata.continue;
  } while (token);
  t.same(
    names.filter(name => /^(?:[ab]-|both)/.test(name)),
    ['a-1', 'b-1', 'both', 'a-2', 'b-2', 'both'],
  );
  t.notOk(names.includes('x0'), 'no registry selects the other namespace');
});

t.test('a continue token in a cluster that left is expired', async t => {
  const token = Buffer.from('{"rv":"","cluster":"other","continue":"x"}').toString('base64url');
  await t.rejects(client.list(configMaps, { limit: 2, continue: token }), { code: 410 });
});

t.test('selectors', async t => {
  const { items } = await client.list(configMaps, { fieldSelector: 'metadata.name=a-2', resourceVersion: '0' });
  t.same(namesIn(items), ['a-2']);
  await t.rejects(client.list(configMaps, { fieldSelector: 'spec.x=1' }), { code: 400 });
});

t.test('get finds an object in any cluster', async t => {
  for (const options of [{}, { resourceVersion: '0' }]) {
    const found = await client.get(configMaps, { namespace: 'default', name: 'a-2' }, options);
    t.match(found, { kind: 'ConfigMap', apiVersion: 'v1', data: { from: '2' } });
    t.equal(found.metadata.annotations?.[annotations.cachedFromCluster], 'member2');
    t.match(read(found.metadata.resourceVersion), { member2: /^\d+$/ });
  }
  await t.rejects(client.get(configMaps, { namespace: 'default', name: 'none' }), {
    code: 404,
    message: 'configmaps "none" not found',
  });
  await t.rejects(client.get(configMaps, { namespace: 'default', name: 'both' }), {
    code: 409,
    message: 'Operation cannot be fulfilled on configmaps "both": ambiguous objects in clusters [member1, member2]',
  });
});

t.test('writes go to the cluster of the object', async t => {
  const key = { namespace: 'default', name: 'a-2' };
  const found = await client.get(configMaps, key);
  await client.update(configMaps, { ...found, data: { changed: 'yes' } });
  const inside = await members[1].client.get(configMaps, key);
  t.same(inside['data'], { changed: 'yes' });
  t.notOk(inside.metadata.annotations, 'the annotation is not written to the member');
  await t.rejects(client.update(configMaps, { ...found, data: { changed: 'late' } }), { code: 409 });
  await client.patch(configMaps, key, { type: 'merge', patch: { data: { more: '1' } } });
  t.same((await members[1].client.get(configMaps, key))['data'], { changed: 'yes', more: '1' });
  await t.rejects(client.create(configMaps, configMap('new')), {
    code: 405,
    message: 'create is not supported on resources of kind "configmaps"',
  });
  await members[1].client.create(configMaps, configMap('going'));
  const going = { namespace: 'default', name: 'going' };
  await until(() =>
    client.get(configMaps, going).then(
      () => true,
      () => false,
    ),
  );
  await client.delete(configMaps, going);
  await t.rejects(members[1].client.get(configMaps, going), { code: 404 });
});

t.test('updates work with every media type', async t => {
  const key = { namespace: 'default', name: 'b-1' };
  const path = `${root}/api/v1/namespaces/default/configmaps/b-1`;
  const cases = [
    { type: 'application/yaml', write: writeYaml },
    { type: 'application/vnd.kubernetes.protobuf', write: (value: KubeObject) => encodeProtobuf({ ...value }) },
    { type: 'application/json', write: (value: KubeObject) => value },
  ];
  for (const { type, write } of cases) {
    const found = await client.get(configMaps, key);
    const body = write({ ...found, data: { type } });
    const { status } = await ask(`PUT ${path}`, { body, type });
    t.equal(status, 200, type);
    const inside = await members[0].client.get(configMaps, key);
    t.same(inside['data'], { type });
    t.notOk(inside.metadata.annotations);
  }
  t.equal((await ask(`PUT ${path}`, { body: '{', type: 'application/json' })).status, 400, 'the member refuses');
});

t.test('a watch covers all clusters, and resumes at its resourceVersion', async t => {
  const { metadata } = await client.list(configMaps);
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const follow = async (resourceVersion: string, into: WatchEvent[], signal: AbortSignal): Promise<void> => {
    for await (const event of client.watch(configMaps, { resourceVersion }, signal)) into.push(event);
  };
  const watching = follow(metadata.resourceVersion ?? '', events, stop.signal);
  await members[0].client.create(configMaps, configMap('w-1'));
  await until(() => events.length === 1);
  await members[1].client.create(configMaps, configMap('w-2'));
  await until(() => events.length === 2);
  await members[0].client.delete(configMaps, { namespace: 'default', name: 'w-1' });
  await until(() => events.length === 3);
  stop.abort();
  await watching;
  t.same(
    events.map(({ type, object }) => `${type} ${object.metadata.name}`),
    ['ADDED w-1', 'ADDED w-2', 'DELETED w-1'],
  );
  t.equal(events[1]?.object.metadata.annotations?.[annotations.cachedFromCluster], 'member2');
  const versions = events.map(({ object }) => read(object.metadata.resourceVersion) as Record<string, string>);
  t.ok(versions.every(each => Object.keys(each).join() === 'member1,member2'));
  t.equal(
    versions[1]?.['member1'],
    versions[0]?.['member1'],
    'an event of one cluster does not change the versions of the others',
  );

  const again: WatchEvent[] = [];
  const second = new AbortController();
  const resumed = follow(events[0]?.object.metadata.resourceVersion ?? '', again, second.signal);
  await until(() => again.length === 2);
  second.abort();
  await resumed;
  t.same(again.map(({ type, object }) => `${type} ${object.metadata.name}`).sort(), ['ADDED w-2', 'DELETED w-1']);
});

t.test('a watch with a selector reports objects that start and stop matching', async t => {
  const stop = new AbortController();
  const seen: string[] = [];
  const { metadata } = await client.list(configMaps);
  const query = { labelSelector: 'x=y', resourceVersion: metadata.resourceVersion ?? '' };
  const watching = (async () => {
    for await (const { type, object } of client.watch(configMaps, query, stop.signal))
      seen.push(`${type} ${object.metadata.name}`);
  })();
  const label = (value: string | null): Promise<unknown> =>
    members[0].client.patch(
      configMaps,
      { namespace: 'default', name: 'a-1' },
      { type: 'merge', patch: { metadata: { labels: { x: value } } } },
    );
  await label('y');
  await until(() => seen.length === 1);
  await label(null);
  await until(() => seen.length === 2);
  stop.abort();
  await watching;
  t.same(seen, ['ADDED a-1', 'DELETED a-1']);
});

t.test('a watch with sendInitialEvents begins with the existing objects', async t => {
  const stop = new AbortController();
  const seen: string[] = [];
  const query = { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' } as const;
  for await (const { type, object } of client.watch(configMaps, query, stop.signal)) {
    seen.push(type);
    if (type !== 'BOOKMARK') continue;
    t.equal(object.metadata.annotations?.['k8s.io/initial-events-end'], 'true');
    t.match(read(object.metadata.resourceVersion), { member1: /^\d+$/, member2: /^\d+$/ });
    stop.abort();
  }
  t.ok(seen.length > 6);
  t.equal(seen.indexOf('BOOKMARK'), seen.length - 1);
});

t.test('a watch ends when the clusters change', async t => {
  const { metadata } = await client.list(configMaps);
  const never = new AbortController();
  let added = 0;
  const ended = (async () => {
    const query = { resourceVersion: metadata.resourceVersion ?? '' };
    for await (const event of client.watch(configMaps, query, never.signal)) if (event.type === 'ADDED') added++;
  })();
  await members[0].client.create(configMaps, configMap('under-way'));
  await until(() => added === 1);
  await setReady(control, 'member2', 'False');
  await ended;
  await setReady(control, 'member2', 'True');
  await until(async () => namesIn((await client.list(configMaps)).items).includes('a-2'));
  t.pass();
});

t.test('an expired resourceVersion is refused in the stream', async t => {
  const query = { resourceVersion: Buffer.from('{"member1":"1","member2":"1"}').toString('base64url') };
  const watching = (async () => {
    for await (const event of client.watch(configMaps, query, new AbortController().signal))
      t.fail(`received ${event.type}`);
  })();
  await t.rejects(watching, { code: 410 });
});

t.test('resources of no registry are served by the control plane', async t => {
  t.match((await ask(`GET ${root}/api`)).json, { kind: 'APIVersions' });
  t.same(namesIn((await client.list(resources.clusters)).items), ['member1', 'member2']);
  await client.create(core('namespaces'), object('v1', 'Namespace', 'made-here'));
  t.ok(await control.client.get(core('namespaces'), { name: 'made-here' }));
});

t.test('kubectl works with the proxy as its server', { skip: !fs.existsSync('/usr/bin/kubectl') }, async t => {
  const kubectl = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      'kubectl',
      ['--kubeconfig', control.kubeconfig, '--server', control.url + root, ...args],
      {
        env: { ...process.env, HOME: control.directory },
      },
    );
    return stdout;
  };
  t.match(await kubectl('get', 'configmaps'), /a-1 +1 .*\n(?:.*\n)*a-2 +2 /);
  t.match(await kubectl('get', 'configmap', 'a-2'), /a-2 +2 /);
  t.match(await kubectl('annotate', 'configmap', 'a-2', 'x=y'), 'annotated');
  t.equal(
    (await members[1].client.get(configMaps, { namespace: 'default', name: 'a-2' })).metadata.annotations?.['x'],
    'y',
  );
});
