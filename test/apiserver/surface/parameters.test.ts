/** Parameters of requests over a socket, row by row. What each option does is tested in test/registry/pipeline. */
import t, { type Test } from 'tap';
import { type Ask, httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const maps = '/api/v1/namespaces/default/configmaps';
for (const name of ['a', 'b', 'c']) await ask(`POST ${maps}`, { body: { metadata: { name, labels: { name } } } });
const { json: all } = await ask(`GET ${maps}`);
const version = all.metadata.resourceVersion;
const names = ({ json }: { readonly json: typeof all }): string[] => json.items.map(({ metadata }) => metadata.name);
const bad = (message: string | RegExp) => ({ status: 400, json: { reason: 'BadRequest', message } });
const merge: Ask = { type: 'application/merge-patch+json', body: { metadata: { labels: { x: 'y' } } } };
const apply: Ask = { type: 'application/apply-patch+yaml', body: { apiVersion: 'v1', kind: 'ConfigMap' } };

interface Row {
  readonly what: string;
  readonly with?: Ask;
  readonly expect: object;
}

async function hold(t: Test, rows: readonly Row[]): Promise<void> {
  for (const { what, with: more, expect } of rows) {
    const { status, text, headers } = await ask(what, more);
    const json = text.startsWith('{') && !text.includes('\n{') ? (JSON.parse(text) as object) : undefined;
    t.match({ status, json, headers, text }, expect, what);
  }
}

t.test('selectors', async t => {
  t.same(names(await ask(`GET ${maps}?labelSelector=name%20in%20(a,c)`)), ['a', 'c']);
  t.same(names(await ask(`GET ${maps}?fieldSelector=metadata.name%3Db`)), ['b']);
  await hold(t, [
    {
      what: `GET ${maps}?labelSelector=%3D%3D`,
      expect: bad("found '==', expected: !, identifier, or 'end of string'"),
    },
    { what: `GET ${maps}?fieldSelector=a`, expect: bad("invalid selector: 'a'; can't understand 'a'") },
    {
      what: `DELETE ${maps}?fieldSelector=x%3D1`,
      expect: bad('"x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
    },
    { what: `GET /api/v1/pods?fieldSelector=x%3D1`, expect: bad('field label not supported: x') },
  ]);
});

t.test('parameters of watches', async t => {
  const query = `watch=1&timeoutSeconds=1&shardSelector=x`;
  const received = (await ask(`GET ${maps}?${query}&resourceVersion=0`)).text.trim().split('\n');
  t.equal(received.length, 3);
  const streamed = await ask(
    `GET ${maps}?${query}&allowWatchBookmarks=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
  );
  t.match(streamed.text, /"type":"BOOKMARK".*"k8s\.io\/initial-events-end":"true"/);
  await hold(t, [
    { what: `GET ${maps}?watch=1&timeoutSeconds=x`, expect: bad('strconv.ParseInt: parsing "x": invalid syntax') },
    {
      what: `GET ${maps}?watch=1&sendInitialEvents=1`,
      expect: { status: 422, json: { details: { kind: 'ListOptions', group: 'meta.k8s.io' } } },
    },
    { what: `GET ${maps}?shardSelector=x`, expect: { status: 200, json: { metadata: { shardInfo: undefined } } } },
  ]);
});

t.test('versions', async t => {
  // The current version: history is kept for five minutes, and the tests before may have taken longer.
  const { resourceVersion } = (await ask(`GET ${maps}`)).json.metadata;
  await hold(t, [
    { what: `GET ${maps}/a?resourceVersion=0`, expect: { status: 200 } },
    {
      what: `GET ${maps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
      expect: { status: 200, json: { metadata: { resourceVersion } } },
    },
    {
      what: `GET ${maps}?resourceVersion=x`,
      expect: { status: 400, json: { message: /^invalid resource version: / } },
    },
    { what: `GET ${maps}?watch=1&resourceVersion=x`, expect: { status: 500, json: { reason: undefined } } },
    {
      what: `GET ${maps}?resourceVersionMatch=Exact`,
      expect: {
        status: 422,
        json: {
          reason: 'Invalid',
          message:
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        },
      },
    },
    {
      what: `GET ${maps}?sendInitialEvents=true`,
      expect: {
        status: 422,
        json: {
          reason: 'Invalid',
          message:
            'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
          details: { causes: [{ reason: 'FieldValueForbidden', field: 'sendInitialEvents' }] },
        },
      },
    },
    {
      what: `GET ${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=Exact`,
      expect: {
        status: 422,
        json: {
          message:
            'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
        },
      },
    },
    {
      what: `GET ${maps}?resourceVersion=1&resourceVersionMatch=No`,
      expect: { status: 422, json: { message: /Unsupported value: "No"/ } },
    },
  ]);
});

t.test('pages', async t => {
  const first = await ask(`GET ${maps}?limit=2`);
  t.same(names(first), ['a', 'b']);
  const next = `continue=${first.json.metadata.continue}`;
  t.same(names(await ask(`GET ${maps}?limit=2&${next}`)), ['c']);
  t.same(names(await ask(`GET ${maps}?limit=2&resourceVersion=0&${next}`)), ['c']);
  await hold(t, [
    { what: `GET ${maps}?limit=x`, expect: bad('strconv.ParseInt: parsing "x": invalid syntax') },
    { what: `GET ${maps}?continue=x`, expect: bad(/^invalid continue token: |^continue key is not valid: /) },
    {
      what: `GET ${maps}?${next}&resourceVersion=${version}`,
      expect: bad('specifying resource version is not allowed when using continue'),
    },
  ]);
});

t.test('parameters of writes', async t => {
  const invalid = (message: RegExp) => ({ status: 422, json: { reason: 'Invalid', message } });
  const body = { metadata: { name: 'new' } };
  await hold(t, [
    {
      what: `POST ${maps}?dryRun=All&fieldManager=me`,
      with: { body: { ...body, data: { k: 'v' } } },
      expect: { status: 201, json: { metadata: { managedFields: [{ manager: 'me' }] } } },
    },
    {
      what: `POST ${maps}?dryRun=All`,
      with: { body: { ...body, data: { k: 'v' } }, headers: { 'user-agent': 'tool/v1 (x)' } },
      expect: { json: { metadata: { managedFields: [{ manager: 'tool' }] } } },
    },
    { what: `GET ${maps}/new`, expect: { status: 404 } },
    {
      what: `POST ${maps}?fieldManager=${'x'.repeat(129)}`,
      with: { body },
      expect: invalid(
        /^CreateOptions\.meta\.k8s\.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes$/,
      ),
    },
    {
      what: `PATCH ${maps}/a`,
      with: apply,
      expect: invalid(
        /^PatchOptions\.meta\.k8s\.io "" is invalid: fieldManager: Required value: is required for apply patch$/,
      ),
    },
    {
      what: `POST ${maps}?fieldValidation=No`,
      with: { body },
      expect: invalid(
        /^CreateOptions\.meta\.k8s\.io "" is invalid: fieldValidation: Unsupported value: "No": supported values: /,
      ),
    },
    {
      what: `POST ${maps}?fieldValidation=Strict`,
      with: { body: { ...body, x: 1 } },
      expect: bad(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "x"',
      ),
    },
    ...['', '&fieldValidation=', '&fieldValidation=Warn'].map(query => ({
      what: `POST ${maps}?dryRun=All${query}`,
      with: { body: { ...body, x: 1 } },
      expect: { status: 201, headers: { warning: '299 - "unknown field \\"x\\""' } },
    })),
    {
      what: `POST ${maps}?dryRun=All&fieldValidation=Ignore`,
      with: { body: { ...body, x: 1 } },
      expect: { status: 201, headers: { warning: undefined } },
    },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map(method => ({
      what: `${method} ${maps}${method === 'POST' ? '' : '/a'}?dryRun=Some`,
      with: method === 'PATCH' ? merge : method === 'DELETE' ? {} : { body },
      expect: invalid(
        /Options\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: \["Some"\]: supported values: "All"$/,
      ),
    })),
    { what: `DELETE ${maps}?dryRun=Some`, expect: invalid(/^DeleteOptions/) },
    {
      what: `PATCH ${maps}/a?force=true`,
      with: merge,
      expect: invalid(/force: Forbidden: may not be specified for non-apply patch$/),
    },
    { what: `PATCH ${maps}/a?force=true&fieldManager=m&dryRun=All`, with: apply, expect: { status: 200 } },
  ]);
});

t.test('parameters of deletions', async t => {
  const invalid = (message: RegExp) => ({ status: 422, json: { reason: 'Invalid', message } });
  await hold(t, [
    {
      what: `DELETE ${maps}/a?propagationPolicy=No`,
      expect: invalid(
        /propagationPolicy: Unsupported value: "No": supported values: "Foreground", "Background", "Orphan", "nil"$/,
      ),
    },
    { what: `DELETE ${maps}/a?propagationPolicy=No`, with: { body: { dryRun: ['All'] } }, expect: { status: 200 } },
    {
      what: `DELETE ${maps}/a?dryRun=All`,
      with: { body: { propagationPolicy: 'No' } },
      expect: invalid(/propagationPolicy/),
    },
    { what: `DELETE ${maps}/a?orphanDependents=true&propagationPolicy=Orphan`, expect: invalid(/cannot be both set$/) },
    {
      what: `DELETE ${maps}/a?dryRun=All&ignoreStoreReadErrorWithClusterBreakingPotential=true`,
      expect: { status: 200 },
    },
    { what: `DELETE ${maps}/a?gracePeriodSeconds=x`, expect: bad('strconv.ParseInt: parsing "x": invalid syntax') },
    { what: `DELETE ${maps}/a`, with: { body: { preconditions: { uid: 'x' } } }, expect: { status: 409 } },
    { what: `GET ${maps}/a`, expect: { status: 200 } },
  ]);
});

t.test('indented responses for browsers', async t => {
  const one = `GET ${maps}/a`;
  const indented = /^\{\n {2}"kind": "ConfigMap",\n {2}"apiVersion": "v1",\n {2}"metadata": \{\n {4}"name"/;
  const agents: readonly [agent: string, pretty: boolean][] = [
    ['curl/8', true],
    ['Wget/1', true],
    ['Mozilla/5.0 (X11)', true],
    ['kubectl/v1.36', false],
    ['my-curl', false],
  ];
  for (const [agent, pretty] of agents) {
    const headers = { 'user-agent': agent };
    t.equal(indented.test((await ask(one, { headers })).text), pretty, agent);
    t.notMatch((await ask(`${one}?pretty=false`, { headers })).text, indented);
    t.match((await ask(`${one}?pretty=true`, { headers })).text, indented);
  }
});

t.test('the objects of table rows', async t => {
  const table: Ask = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
  const object = async (query: string): Promise<unknown> =>
    (await ask(`GET ${maps}?${query}`, table)).json.rows[0]?.object?.kind;
  t.equal(await object(''), 'PartialObjectMetadata');
  t.equal(await object('includeObject=Metadata'), 'PartialObjectMetadata');
  t.equal(await object('includeObject=Object'), 'ConfigMap');
  t.equal(await object('includeObject=None'), undefined);
  t.equal((await ask(`GET ${maps}?includeObject=All`, table)).status, 400);
  t.equal((await ask(`GET ${maps}?includeObject=All`)).status, 200, 'only tables use the parameter');
});

t.test('timeouts', async t => {
  await hold(t, [
    {
      what: `GET ${maps}?timeout=soon`,
      expect: bad('invalid timeout specified in the request URL - time: invalid duration "soon"'),
    },
    ...['0', '0s', '1h', '30s', ''].map(timeout => ({
      what: `GET ${maps}?timeout=${timeout}`,
      expect: { status: 200 },
    })),
    { what: `GET ${maps}?watch=1&timeoutSeconds=1&timeout=soon`, expect: { status: 200 } },
  ]);
});

t.test('deprecated and unknown parameters', async t => {
  await hold(t, [
    {
      what: `GET ${maps}/a?export=1`,
      expect: bad('the export parameter, deprecated since v1.14, is no longer supported'),
    },
    { what: `GET ${maps}/a?export=false`, expect: { status: 200 } },
    { what: `GET ${maps}?nothing=1&export=1`, expect: { status: 200 } },
    { what: `PATCH ${maps}/a?nothing=1`, with: merge, expect: { status: 200 } },
  ]);
});
