import t from 'tap';
import { cacheCounters } from '../../../../storage/cache/counters.js';
import type { ListQuery } from '../../../../client/interface.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import type { PipelineDeps } from '../../../../registry/pipeline/context.js';
import type { RequestScope } from '../../../../registry/pipeline/interface.js';
import { list } from '../../../../registry/pipeline/reads/list.js';
import { decodeContinue, encodeContinue } from '../../../../registry/pipeline/reads/continue-token.js';
import { type Served, configMap, configmaps, pods, pod, refusal, serve } from '../../serve.js';

const names = async ({ client }: Served, query: ListQuery): Promise<string[]> =>
  (await client.list(configmaps, query)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

t.test('lists are ordered and selected by namespace and selectors', async t => {
  const served = await serve(t);
  const { client } = served;
  await client.create(configmaps, configMap('x', { metadata: { labels: { app: 'a' } } }, 'ns'));
  await client.create(configmaps, configMap('x', { metadata: { labels: { app: 'b' } } }, 'ns-a'));
  await client.create(configmaps, configMap('y', {}, 'ns'));
  const cases: readonly { name: string; query: ListQuery; expect: readonly string[] }[] = [
    { name: 'all', query: {}, expect: ['ns-a/x', 'ns/x', 'ns/y'] },
    { name: 'namespace', query: { namespace: 'ns' }, expect: ['ns/x', 'ns/y'] },
    { name: 'label', query: { labelSelector: 'app' }, expect: ['ns-a/x', 'ns/x'] },
    { name: 'label value', query: { labelSelector: 'app in (a,c)' }, expect: ['ns/x'] },
    { name: 'label differs', query: { labelSelector: 'app!=a' }, expect: ['ns-a/x', 'ns/y'] },
    { name: 'name', query: { fieldSelector: 'metadata.name=x' }, expect: ['ns-a/x', 'ns/x'] },
    { name: 'name in a namespace', query: { namespace: 'ns', fieldSelector: 'metadata.name=x' }, expect: ['ns/x'] },
    {
      name: 'name and other label',
      query: { namespace: 'ns', fieldSelector: 'metadata.name=x', labelSelector: 'app=b' },
      expect: [],
    },
    { name: 'name differs', query: { fieldSelector: 'metadata.name!=x' }, expect: ['ns/y'] },
    { name: 'namespace by field', query: { fieldSelector: 'metadata.namespace=ns' }, expect: ['ns/x', 'ns/y'] },
    {
      name: 'other namespace by field',
      query: { namespace: 'ns', fieldSelector: 'metadata.namespace=ns-a' },
      expect: [],
    },
  ];
  for (const { name, query, expect } of cases) t.same(await names(served, query), expect, name);
});

t.test('field selectors of the kind', async t => {
  const { client } = await serve(t);
  await client.create(pods, pod('a', { nodeName: 'n' }));
  await client.create(pods, pod('b'));
  const byField = async (fieldSelector: string): Promise<unknown> =>
    (await client.list(pods, { fieldSelector })).items.map(item => item.metadata.name);
  t.same(await byField('spec.nodeName=n'), ['a']);
  t.same(await byField('spec.nodeName='), ['b']);
  t.same(await byField('spec.host=n'), ['a'], 'by its former name');
  t.equal(await refusal(byField('spec.foo=1')), '400 BadRequest: field label not supported: spec.foo');
  t.equal(
    await refusal(client.list(configmaps, { fieldSelector: 'data.k=v' })),
    '400 BadRequest: "data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
});

t.test('all pages show the state of the first one', async t => {
  const served = await serve(t);
  const { client } = served;
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await client.create(configmaps, configMap(name, { metadata: { labels: { odd: name < 'c' ? 'y' : 'n' } } }));
  const first = await client.list(configmaps, { limit: 2 });
  t.match(first.metadata, { remainingItemCount: 3, continue: /./ });
  await client.create(configmaps, configMap('bb'));
  await client.delete(configmaps, { namespace: 'default', name: 'd' });
  const second = await client.list(configmaps, { limit: 2, continue: first.metadata.continue ?? '' });
  t.same(
    second.items.map(item => item.metadata.name),
    ['c', 'd'],
    'the state of the first page',
  );
  t.equal(second.metadata.resourceVersion, first.metadata.resourceVersion);
  const third = await client.list(configmaps, { limit: 2, continue: second.metadata.continue ?? '' });
  t.same(
    third.items.map(item => item.metadata.name),
    ['e'],
  );
  t.same(third.metadata, { resourceVersion: first.metadata.resourceVersion });
  const inconsistent = encodeContinue(-1, 'default/b');
  t.same(
    await names(served, { continue: inconsistent }),
    ['default/bb', 'default/c', 'default/e'],
    'the rest in the current state',
  );
  const selected = await client.list(configmaps, { limit: 1, labelSelector: 'odd=n' });
  t.same(
    selected.items.map(item => item.metadata.name),
    ['c'],
  );
  t.match(selected.metadata, { continue: /./, remainingItemCount: undefined });
  const rest = await client.list(configmaps, {
    labelSelector: 'odd=n',
    limit: 5,
    continue: selected.metadata.continue ?? '',
  });
  t.same(
    rest.items.map(item => item.metadata.name),
    ['e'],
    'a page is full unless it is the last',
  );
});

t.test('resourceVersion and resourceVersionMatch select the state of a list', async t => {
  const served = await serve(t);
  const { client } = served;
  const first = await client.create(configmaps, configMap('a'));
  const second = await client.create(configmaps, configMap('b'));
  const [one, two] = [first.metadata.resourceVersion ?? '', second.metadata.resourceVersion ?? ''];
  const both = ['default/a', 'default/b'];
  const cases: readonly { name: string; query: ListQuery; expect: readonly string[] }[] = [
    { name: 'newest', query: {}, expect: both },
    { name: 'any, whole', query: { resourceVersion: '0', limit: 1 }, expect: both },
    { name: 'not older', query: { resourceVersion: one }, expect: both },
    { name: 'legacy exact', query: { resourceVersion: one, limit: 10 }, expect: ['default/a'] },
    {
      name: 'not older, limited',
      query: { resourceVersion: one, resourceVersionMatch: 'NotOlderThan', limit: 1 },
      expect: ['default/a'],
    },
    { name: 'exact', query: { resourceVersion: one, resourceVersionMatch: 'Exact' }, expect: ['default/a'] },
    { name: 'exact, newest', query: { resourceVersion: two, resourceVersionMatch: 'Exact' }, expect: both },
  ];
  for (const { name, query, expect } of cases) t.same(await names(served, query), expect, name);
  const token = encodeContinue(Number(two), 'default/a');
  const refused: readonly { name: string; query: ListQuery; expect: string }[] = [
    {
      name: 'no number',
      query: { resourceVersion: '-1' },
      expect:
        '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
    },
    {
      name: 'exactly any',
      query: { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      expect:
        '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    },
    {
      name: 'match without a version',
      query: { resourceVersionMatch: 'Exact' },
      expect:
        '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      name: 'token and version',
      query: { resourceVersion: one, continue: token },
      expect: '400 BadRequest: specifying resource version is not allowed when using continue',
    },
    {
      name: 'selectors are parsed first',
      query: { labelSelector: 'a b', resourceVersionMatch: 'Exact' },
      expect: "400 BadRequest: unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    },
    {
      name: 'then the parameters are validated',
      query: { fieldSelector: 'foo=x', resourceVersionMatch: 'Exact' },
      expect:
        '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    },
    {
      name: 'then the selected fields, then the resourceVersion',
      query: { fieldSelector: 'foo=x', resourceVersion: '-1' },
      expect: '400 BadRequest: "foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    },
    {
      name: 'an invalid token',
      query: { continue: '!' },
      expect: '400 BadRequest: invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
    },
  ];
  for (const { name, query, expect } of refused) t.equal(await refusal(client.list(configmaps, query)), expect, name);
});

t.test('compacted and future revisions are refused', async t => {
  const { client, backend } = await serve(t, { freshnessTimeoutMs: 50 });
  const old = await client.create(configmaps, configMap('a'));
  const token = encodeContinue(Number(old.metadata.resourceVersion), 'default/a');
  for (let i = 0; i < 3; i++) await client.create(configmaps, configMap(`b${i}`));
  await backend.compact(await backend.revision());
  // The cache still serves the revisions that it has.
  t.equal(
    (
      await client.list(configmaps, {
        resourceVersion: old.metadata.resourceVersion ?? '',
        resourceVersionMatch: 'Exact',
      })
    ).items.length,
    1,
  );
  const ahead = String(Number(await backend.revision()) + 1000);
  t.match(
    await refusal(client.get(configmaps, { namespace: 'default', name: 'a' }, { resourceVersion: ahead })),
    /^504 Timeout: Timeout: Too large resource version: \d+, current: \d+$/,
  );
  t.same(decodeContinue(token), { revision: Number(old.metadata.resourceVersion), start: 'default/a\u0000' });
});

t.test('continue tokens are validated', t => {
  const encode = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  t.equal(
    Buffer.from(encodeContinue(7, 'ns/name'), 'base64url').toString(),
    '{"v":"meta.k8s.io/v1","rv":7,"start":"ns/name\\u0000"}',
  );
  t.same(decodeContinue(encode({ v: 'meta.k8s.io/v1', rv: 7, start: '/ns/name\0' })), {
    revision: 7,
    start: 'ns/name\0',
  });
  const head = 'invalid continue token: continue key is not valid';
  const cases: readonly [name: string, token: string, expect: string][] = [
    ['version', encode({ v: 'x', rv: 1, start: 'a' }), `${head}: server does not recognize this encoded version x`],
    [
      'no revision',
      encode({ v: 'meta.k8s.io/v1', start: 'a' }),
      `${head}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)`,
    ],
    [
      'no key',
      encode({ v: 'meta.k8s.io/v1', rv: 1, start: '' }),
      `${head}: encoded start key empty (version meta.k8s.io/v1)`,
    ],
    [
      'bytes that are no JSON',
      Buffer.from([0xfa, 0x01]).toString('base64url'),
      `${head}: invalid character 'ú' looking for beginning of value`,
    ],
    ['a quote', encode("'"), `${head}: invalid character '\\'' looking for beginning of value`],
    ['nothing', encode(' '), `${head}: unexpected end of JSON input`],
    ['a list', encode([]), `${head}: json: cannot unmarshal array into Go value of type storage.continueToken`],
    [
      'a revision that is a text',
      encode({ v: 'meta.k8s.io/v1', rv: '1', start: 'a' }),
      `${head}: json: cannot unmarshal string into Go struct field continueToken.rv of type int64`,
    ],
    [
      'a revision that is no whole number',
      encode({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' }),
      `${head}: json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64`,
    ],
    [
      'a version that is a number',
      encode({ v: 1 }),
      `${head}: json: cannot unmarshal number into Go struct field continueToken.v of type string`,
    ],
    ['null', encode('null'), `${head}: server does not recognize this encoded version `],
    ['a way up', encode({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets/x' }), `${head}: ../secrets/x`],
    ['a way up inside', encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/../../b' }), `${head}: a/../../b`],
  ];
  for (const [name, token, expect] of cases) t.throws(() => decodeContinue(token), { message: expect }, name);
  t.end();
});

t.test('a selection reads only its keys or its index', async t => {
  const cases: readonly {
    readonly name: string;
    readonly kind: string;
    readonly given: ListQuery;
    readonly expect: { readonly at: string; readonly index?: { readonly name: string; readonly word: string } };
  }[] = [
    { name: 'all pods', kind: 'Pod', given: {}, expect: { at: '/registry/pods/' } },
    {
      name: 'pods of a node',
      kind: 'Pod',
      given: { fieldSelector: 'spec.nodeName=n1', labelSelector: 'a=b' },
      expect: { at: '/registry/pods/', index: { name: 'spec.nodeName', word: 'n1' } },
    },
    {
      name: 'pods of a node in a namespace, from the cache',
      kind: 'Pod',
      given: { namespace: 'ns', fieldSelector: 'status.phase=Running,spec.nodeName=n1', resourceVersion: '0' },
      expect: { at: '/registry/pods/ns/', index: { name: 'spec.nodeName', word: 'n1' } },
    },
    {
      name: 'pods without a node',
      kind: 'Pod',
      given: { fieldSelector: 'spec.nodeName=' },
      expect: { at: '/registry/pods/', index: { name: 'spec.nodeName', word: '' } },
    },
    {
      name: 'pods of other nodes',
      kind: 'Pod',
      given: { fieldSelector: 'spec.nodeName!=n1' },
      expect: { at: '/registry/pods/' },
    },
    {
      name: 'a pod',
      kind: 'Pod',
      given: { namespace: 'ns', fieldSelector: 'metadata.name=p,spec.nodeName=n1' },
      expect: { at: '/registry/pods/ns/p' },
    },
    {
      name: 'a secret',
      kind: 'Secret',
      given: { namespace: 'ns', fieldSelector: 'metadata.name=s' },
      expect: { at: '/registry/secrets/ns/s' },
    },
    {
      name: 'a config map, of a namespace that the selector names',
      kind: 'ConfigMap',
      given: { fieldSelector: 'metadata.namespace=ns,metadata.name=c' },
      expect: { at: '/registry/configmaps/ns/c' },
    },
  ];
  for (const { name, kind, given, expect } of cases) {
    const definition = nativeDefinitions().find(d => d.kind === kind && d.group === '');
    const asked: unknown[] = [];
    const cache = {
      counters: cacheCounters(),
      range(at: string, { index }: { index?: unknown }) {
        asked.push({ at, ...(index !== undefined && { index }) });
        return Promise.resolve({ items: [], revision: 1, remaining: 0 });
      },
    };
    const deps = { stores: { of: () => ({ cache }) } } as unknown as PipelineDeps;
    const call = {
      definition,
      version: definition?.versions[0],
      namespace: given.namespace ?? '',
    } as unknown as RequestScope;
    await list(deps, call, given);
    t.strictSame(asked, [expect], name);
  }
});
