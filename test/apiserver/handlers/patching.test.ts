/** Patches over a socket that change apiVersion, kind or metadata of an object, or make them invalid. */
import t from 'tap';
import { customKind, definitionsPath } from '../../custom-kinds.js';
import { runningServer } from '../running.js';
import { type HttpClient, httpClient } from '../http-client.js';

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

interface Row {
  readonly name: string;
  readonly type: keyof typeof types;
  readonly patch: unknown;
  readonly expect: { readonly status: number; readonly message?: string | RegExp };
}

async function held(t: Tap, ask: HttpClient, path: string, rows: readonly Row[]): Promise<void> {
  const before = (await ask(`GET ${path}`)).text;
  for (const { name, type, patch, expect } of rows) {
    const query = type === 'apply' ? '?fieldManager=test' : '';
    const answer = await ask(`PATCH ${path}${query}`, { body: patch, type: types[type] });
    const { status, message } = expect;
    t.match({ status: answer.status, ...(message !== undefined && { message: answer.json.message }) }, expect, name);
    t.equal(answer.status === 200 ? answer.text : before, before, `${name}: ${status}`);
    t.equal((await ask(`GET ${path}`)).text, before, `${name}: the stored object`);
  }
}

type Tap = typeof t;
const nameless = (name: string): string =>
  `the name of the object (${name} based on URL) was undeterminable: name must be provided`;

t.test('a patch cannot change a built-in kind', async t => {
  const ask = httpClient(t, await runningServer(t));
  const maps = '/api/v1/namespaces/default/configmaps';
  await ask(`POST ${maps}`, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
  });
  await held(t as Tap, ask, `${maps}/a`, [
    {
      name: 'another kind is ignored',
      type: 'strategic',
      patch: { kind: 'Secret', apiVersion: 'v7' },
      expect: { status: 200 },
    },
    { name: 'no kind', type: 'strategic', patch: { kind: null, apiVersion: null }, expect: { status: 200 } },
    { name: 'no kind by merge patch', type: 'merge', patch: { kind: null }, expect: { status: 200 } },
    {
      name: 'no version by merge patch: the internal version has no such field',
      type: 'merge',
      patch: { apiVersion: null },
      expect: { status: 400, message: nameless('a') },
    },
    {
      name: 'no version and an unknown kind',
      type: 'merge',
      patch: { apiVersion: null, kind: 'Other' },
      expect: {
        status: 422,
        message: /: no kind "Other" is registered for the internal version of group "" in scheme/,
      },
    },
    {
      name: 'no version and another kind',
      type: 'merge',
      patch: { apiVersion: null, kind: 'Secret' },
      expect: { status: 422, message: /: converting \(core\.Secret\) to \(core\.ConfigMap\): unknown conversion$/ },
    },
    {
      name: 'another kind of a removed version',
      type: 'merge',
      patch: { apiVersion: 'apps/v1beta1', kind: 'Deployment', data: null },
      expect: {
        status: 422,
        message: /: converting \(v1beta1\.Deployment\) to \(core\.ConfigMap\): unknown conversion$/,
      },
    },
    {
      name: 'two slashes',
      type: 'merge',
      patch: { apiVersion: 'a/b/c' },
      expect: { status: 422, message: /: unexpected GroupVersion string: a\/b\/c$/ },
    },
    { name: 'no kind by JSON patch', type: 'json', patch: [{ op: 'remove', path: '/kind' }], expect: { status: 200 } },
    {
      name: 'an unknown kind',
      type: 'merge',
      patch: { kind: 'Other' },
      expect: { status: 422, message: /: no kind "Other" is registered for version "v1" in scheme/ },
    },
    {
      name: 'a kind that is not a string',
      type: 'merge',
      patch: { kind: [] },
      expect: {
        status: 422,
        message:
          /: couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go struct field \.kind of type string$/,
      },
    },
    {
      name: 'a version that is not a string',
      type: 'json',
      patch: [{ op: 'copy', from: '/metadata', path: '/apiVersion' }],
      expect: { status: 422, message: /cannot unmarshal object into Go struct field \.apiVersion of type string$/ },
    },
    {
      name: 'a number as its kind',
      type: 'strategic',
      patch: { kind: 5 },
      expect: { status: 422, message: /: cannot convert int64 to string$/ },
    },
    { name: 'no metadata', type: 'merge', patch: { metadata: null }, expect: { status: 400, message: nameless('a') } },
    {
      name: 'no metadata by JSON patch',
      type: 'json',
      patch: [{ op: 'remove', path: '/metadata' }],
      expect: { status: 400, message: nameless('a') },
    },
    { name: 'metadata that is not an object', type: 'merge', patch: { metadata: 5 }, expect: { status: 422 } },
    { name: 'null', type: 'merge', patch: 'null', expect: { status: 400, message: 'Invalid JSON Patch' } },
    {
      name: 'apply with a kind that is not a string',
      type: 'apply',
      patch: { apiVersion: { a: 1 }, kind: 'ConfigMap', metadata: {} },
      expect: { status: 400, message: 'invalid object type: /, Kind=ConfigMap' },
    },
  ]);
});

t.test('strict decoding errors of an apply patch come last', async t => {
  const ask = httpClient(t, await runningServer(t));
  const path = '/api/v1/namespaces/default/configmaps/a';
  const apply = (body: string, query: string) =>
    ask(`PATCH ${path}?fieldManager=${query}`, { body, type: types.apply });
  const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
  t.equal((await apply(`${head}data: {k: v}`, 'first')).status, 201);
  const twice = `${head}data: {k: w}\ndata: {k: w}`;
  t.match((await apply(twice, 'second&fieldValidation=Strict')).json, {
    code: 409,
    message: 'Apply failed with 1 conflict: conflict with "first": .data.k',
  });
  t.match((await apply(twice, 'first&fieldValidation=Strict')).json, {
    code: 400,
    message:
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key "data" already set in map',
  });
  const warned = await apply(twice, 'first');
  t.match(warned, { status: 200, headers: { warning: '299 - "line 5: key \\"data\\" already set in map"' } });
  t.equal(warned.json.data['k'], 'w');
});

t.test('a patch cannot change a custom kind', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask(`POST ${definitionsPath}`, { body: customKind('Foo') });
  const foos = '/apis/example.com/v1/namespaces/default/foos';
  const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' }, spec: { x: 1 } };
  const other = 'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Foo';
  t.match((await ask(`POST ${foos}`, { body: { ...foo, kind: 'Other' } })).json, { code: 422, message: other });
  t.equal((await ask(`POST ${foos}`, { body: foo })).status, 201);
  t.match((await ask(`PUT ${foos}/a`, { body: { ...foo, kind: 'Other' } })).json, { code: 422, message: other });
  await held(t as Tap, ask, `${foos}/a`, [
    { name: 'another kind', type: 'merge', patch: { kind: 'Other' }, expect: { status: 422, message: other } },
    {
      name: 'another kind by JSON patch',
      type: 'json',
      patch: [{ op: 'replace', path: '/kind', value: 'Other' }],
      expect: { status: 422, message: other },
    },
    {
      name: 'another version',
      type: 'merge',
      patch: { apiVersion: 'example.com/v9' },
      expect: {
        status: 422,
        message: 'Foo.example.com "a" is invalid: apiVersion: Invalid value: "example.com/v9": must be example.com/v1',
      },
    },
    {
      name: 'no kind',
      type: 'merge',
      patch: { kind: null },
      expect: { status: 422, message: /Object 'Kind' is missing in/ },
    },
    { name: 'no metadata', type: 'merge', patch: { metadata: null }, expect: { status: 400, message: nameless('a') } },
    { name: 'metadata that is not an object', type: 'merge', patch: { metadata: 5 }, expect: { status: 422 } },
    { name: 'a kind that is not a string', type: 'merge', patch: { kind: 5 }, expect: { status: 422 } },
    { name: 'a strategic merge patch', type: 'strategic', patch: {}, expect: { status: 415 } },
  ]);
});

t.test('a patch cannot change a Scale', async t => {
  const ask = httpClient(t, await runningServer(t));
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await ask(`POST ${path}`, { body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec } });
  await held(t as Tap, ask, `${path}/d/scale`, [
    {
      name: 'metadata that is not an object',
      type: 'strategic',
      patch: { metadata: 0 },
      expect: { status: 422, message: /cannot restore struct from: int64$/ },
    },
    {
      name: 'replicas that are not a number',
      type: 'merge',
      patch: { spec: { replicas: [1] } },
      expect: {
        status: 422,
        message: /cannot unmarshal array into Go struct field ScaleSpec\.spec\.replicas of type int32$/,
      },
    },
    {
      name: 'another kind',
      type: 'merge',
      patch: { kind: 'Deployment', apiVersion: 'apps/v1' },
      expect: { status: 422 },
    },
    {
      name: 'negative replicas',
      type: 'merge',
      patch: { spec: { replicas: -1 } },
      expect: { status: 422, message: /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/ },
    },
    { name: 'no metadata', type: 'merge', patch: { metadata: null }, expect: { status: 400, message: nameless('d') } },
  ]);
});
