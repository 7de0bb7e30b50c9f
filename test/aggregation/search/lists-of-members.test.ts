/** Lists of `proxying` over more clusters than are read ahead: their versions, their pages, and their ends. */
import type { ClientRequest } from 'node:http';
import https from 'node:https';
import t from 'tap';
import { expired } from '../../../apimachinery/errors/status.js';
import { resources } from '../../../api/karmada/well-known.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../storage/until.js';
import { controlPlane, core, join, memberServer, object, setReady } from '../fleet.js';
import { frontOf, readerToken, settled } from './front.js';

const root = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/namespaces/default';
/** Less than the 60 seconds after which a request to a member ends anyway. */
const withinMs = 40_000;
/** Mirrored as a whole. */
const configMaps = `${root}/configmaps`;
/** Mirrored in part, so that lists read the members, whatever the version. */
const secrets = `${root}/secrets`;
const names = Array.from({ length: 10 }, (_, i) => `c${String(i).padStart(2, '0')}`);

const control = await controlPlane(t);
const member = await memberServer(t);
const fronts = await Promise.all(names.map(() => frontOf(t, member)));
const [first, second] = fronts as [(typeof fronts)[number], (typeof fronts)[number]];
const ask = httpClient(t, control);
/** The lists that the members were asked for. */
let asked: string[] = [];
const isList = (path: string): boolean =>
  /^\/api\/v1\/namespaces\/default\/(configmaps|secrets)\?/.test(path) && !path.includes('watch');

const secret = (name: string) => object('v1', 'Secret', name, { metadata: { namespace: 'default' } });

/** Returns a page of a list of Secrets. `token`: where it continues; '' at its end. */
const page = (token: string, ...items: readonly string[]) => ({
  ...{ kind: 'SecretList', apiVersion: 'v1' },
  metadata: { resourceVersion: '7', ...(token !== '' && { continue: token }) },
  items: items.map(name => ({ ...secret(name), metadata: { name, namespace: 'default', resourceVersion: '7' } })),
});

/** Answers the lists of Secrets of a cluster by their tokens; '' for the first page. */
function answer(front: (typeof fronts)[number], pageAt: (token: string) => object | Promise<object>): void {
  front.answers = path =>
    isList(path) ? pageAt(new URL(path, 'https://member').searchParams.get('continue') ?? '') : undefined;
}

function begin(path: string): ClientRequest {
  const { authority, admin } = control.pki;
  const { host, port } = control;
  const request = https.get({
    ...{ host, port, path, agent: false, ca: authority.certificate, cert: admin.certificate, key: admin.key },
  });
  request.on('error', () => undefined); // It is destroyed by the test.
  return request;
}

t.before(async () => {
  const token = await readerToken(member);
  for (const [i, { url, authority }] of fronts.entries()) {
    const name = names[i] ?? '';
    await join(control, name, { server: url, authority, token });
    await setReady(control, name, 'True');
  }
  const registry = (name: string, kind: string, metadata: object) => {
    const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind }] };
    return object('search.karmada.io/v1alpha1', 'ResourceRegistry', name, { metadata, spec });
  };
  const annotations = { 'search.flagship.io/kept-fields': 'type' };
  await control.client.create(resources.resourceRegistries, registry('whole', 'ConfigMap', {}));
  await control.client.create(resources.resourceRegistries, registry('part', 'Secret', { annotations }));
  await member.client.create(core('secrets'), secret('s'));
  await member.client.create(
    core('configmaps'),
    object('v1', 'ConfigMap', 'x', { metadata: { namespace: 'default' } }),
  );
  const count = async (of: string): Promise<number> => (await ask(`GET ${of}`)).json.items.length;
  await until('all clusters are mirrored', async () => {
    for (const path of [`${configMaps}?resourceVersion=0&fieldSelector=metadata.name%3Dx`, secrets])
      if ((await count(path)) !== names.length) return false;
    return true;
  });
  for (const front of fronts)
    front.onRequest = path => {
      if (isList(path)) asked.push(path);
    };
});

t.beforeEach(() => {
  asked = [];
});

t.afterEach(() => {
  for (const front of fronts) {
    front.answers = () => undefined;
    front.holds = () => false;
  }
});

t.test('any version will do in all clusters, also beyond those that are read ahead, and with a limit', async t => {
  for (const limit of ['', '&limit=1000']) {
    asked = [];
    const { json } = await ask(`GET ${configMaps}?resourceVersion=0${limit}`);
    t.equal(json.items.filter(({ metadata }) => metadata.name === 'x').length, names.length, limit);
    t.same(asked, [], `no member is asked${limit}`);
    const versions = JSON.parse(Buffer.from(json.metadata.resourceVersion, 'base64url').toString()) as object;
    t.same(Object.keys(versions), names);
  }
});

t.test('a version without a match and a limit is the oldest one that is good', async t => {
  const { resourceVersion } = (await ask(`GET ${secrets}`)).json.metadata;
  await member.client.create(core('secrets'), secret('later'));
  asked = [];
  const { json } = await ask(`GET ${secrets}?resourceVersion=${resourceVersion}`);
  t.equal(json.items.filter(({ metadata }) => metadata.name === 'later').length, names.length);
  t.equal(asked.length, names.length);
  for (const path of asked) t.match(path, /resourceVersionMatch=NotOlderThan/);
  const exact = (await ask(`GET ${secrets}?resourceVersion=${resourceVersion}&limit=400`)).json;
  t.same(
    exact.items.filter(({ metadata }) => metadata.name === 'later'),
    [],
    'with a limit, it is that version',
  );
});

t.test('a list at a version continues at that version in the next cluster', async t => {
  const { resourceVersion } = (await ask(`GET ${secrets}`)).json.metadata;
  await member.client.create(core('secrets'), secret('new'));
  const { json } = await ask(`GET ${secrets}?limit=1&resourceVersion=${resourceVersion}`);
  const { rv } = JSON.parse(Buffer.from(json.metadata.continue, 'base64url').toString()) as { readonly rv: string };
  const versionsIn = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString()) as Readonly<Record<string, string>>;
  t.same(versionsIn(rv), versionsIn(resourceVersion));
});

t.test('a cluster that was read ahead is read again if it has compacted the version', async t => {
  let firstPages = 0;
  answer(second, token => {
    if (token === 'old') return expired('too old').status;
    if (token === 'fresh') return page('', 'last');
    return ++firstPages === 1 ? page('old', 'former') : page('fresh', 'present');
  });
  const { status, json } = await ask(`GET ${secrets}`);
  t.equal(status, 200);
  const found = json.items.map(({ metadata }) => metadata.name);
  t.same(
    ['former', 'present', 'last'].map(name => found.filter(each => each === name).length),
    [0, 1, 1],
  );
});

t.test('an answer breaks off when a cluster whose objects are written has compacted the version', async t => {
  answer(second, token =>
    token === 'second' ? page('third', 'b') : token === '' ? page('second', 'a') : expired('too old').status,
  );
  await t.rejects(ask(`GET ${secrets}`), { code: 'ECONNRESET' });
  t.equal(asked.filter(path => path.includes('continue=third')).length, 1);
});

t.test('a cluster that was read ahead and fails is not read again', async t => {
  answer(second, token => (token === '' ? page('second', 'a') : { ...expired('broken').status, code: 400 }));
  await t.rejects(ask(`GET ${secrets}`), { code: 'ECONNRESET' });
  t.equal(asked.filter(path => path.includes('continue=second')).length, 1);
});

t.test('an empty list is the same whether it is read in parts or as a whole', async t => {
  const none = '?fieldSelector=metadata.name%3Dnothing';
  for (const as of ['Table', 'PartialObjectMetadataList', '']) {
    const accept = as === '' ? 'application/json' : `application/json;as=${as};v=v1;g=meta.k8s.io`;
    const [parts, whole] = await Promise.all(
      ['', '&limit=10'].map(async limit => {
        const { text } = await ask(`GET ${secrets}${none}${limit}`, { accept });
        return text.replace(/"resourceVersion":"[^"]+"/, '');
      }),
    );
    t.equal(parts, whole, as);
  }
});

t.test('a list whose pages never end is refused', async t => {
  answer(first, () => page('more'));
  const { status, json } = await ask(`GET ${secrets}`);
  t.equal(status, 500);
  t.match(json.message, 'the list of cluster c00 has more than 10000 pages');
});

t.test('a client that leaves ends the reading of pages that have nothing for it', async t => {
  for (const limit of ['', '?limit=5']) {
    asked = [];
    answer(first, () => page('more'));
    const request = begin(`${secrets}${limit}`);
    await until('pages are read', () => asked.length > 20);
    request.destroy();
    await settled(() => asked.length);
    t.ok(asked.length < 10_000, `${asked.length} pages were asked for`);
  }
});

t.test('a client that leaves ends the requests to members that do not answer', async t => {
  first.holds = isList;
  const request = begin(secrets);
  await until('the members are asked', () => first.held.size === 1 && asked.length === 8);
  request.destroy();
  await until('the member is not asked any more', () => first.held.size === 0, withinMs);
  t.equal(asked.length, 8, 'no further cluster is asked');
});

t.test('the failure of a cluster ends the requests to the others', async t => {
  first.holds = isList;
  answer(second, async () => {
    await until('the other member is asked', () => first.held.size === 1);
    return { ...expired('broken').status, code: 400 };
  });
  const { status } = await ask(`GET ${secrets}`);
  t.equal(status, 400);
  await until('the others are not asked any more', () => first.held.size === 0, withinMs);
});
