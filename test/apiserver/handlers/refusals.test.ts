/** The Status of requests that cannot be served, text by text. */
import t from 'tap';
import { decodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { type Ask, httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const maps = '/api/v1/namespaces/default/configmaps';
await ask(`POST ${maps}`, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });
const { json: a } = await ask(`GET ${maps}/a`);
const { uid } = a.metadata as unknown as { uid: string };

interface Row {
  readonly what: string;
  readonly with?: Ask;
  /** Code and message; a string is the whole message. */
  readonly expect: readonly [number, string | RegExp];
}

const notThere = 'the server could not find the requested resource';
const notAllowed = 'the server does not allow this method on the requested resource';
const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const unknownFormat = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
const as = (kind: string): Ask => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });

const tables: Readonly<Record<string, readonly Row[]>> = {
  'unknown paths and methods': [
    { what: 'POST /api/v1/configmaps', with: { body: {} }, expect: [405, notAllowed] },
    { what: 'GET /api/v1/configmaps/a', expect: [404, notThere] },
    { what: 'GET /apis/apps/v7', expect: [404, notThere] },
    { what: 'GET /api/v1/watch/configmaps/a', expect: [404, notThere] },
    { what: 'POST /api/v1/watch/configmaps', with: { body: {} }, expect: [405, notAllowed] },
    { what: `PUT /api/v1/watch/namespaces/default/configmaps/a`, with: { body: {} }, expect: [405, notAllowed] },
    { what: `DELETE /api/v1/watch/namespaces/default/configmaps/a`, expect: [405, notAllowed] },
    { what: `GET /api/v1/watch/namespaces/default/pods/a/status`, expect: [404, notThere] },
    { what: 'GET /apis/authorization.k8s.io/v1/watch/subjectaccessreviews', expect: [404, notThere] },
    { what: 'GET /api/v1/proxy/namespaces/default/pods/a', expect: [404, notThere] },
    { what: `GET ${maps}/a/constructor`, expect: [404, notThere] },
    { what: `GET ${maps}/a/__proto__`, expect: [404, notThere] },
  ],
  'bodies of delete requests': [
    {
      what: `DELETE ${maps}/a`,
      with: { body: { kind: 'ConfigMap', apiVersion: 'v1' } },
      expect: [
        400,
        'no kind "ConfigMap" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
      ],
    },
    {
      what: `DELETE ${maps}/a`,
      with: { body: { kind: 'Foo' } },
      expect: [400, /^no kind "Foo" is registered for version "meta.k8s.io\/v1" in/],
    },
    {
      what: `DELETE ${maps}/a`,
      with: { body: 'nope' },
      expect: [
        400,
        "couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u')",
      ],
    },
    {
      what: `DELETE ${maps}/a`,
      with: { body: { dryRun: 'All' } },
      expect: [400, 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
    },
    {
      what: `DELETE ${maps}/a`,
      with: { body: 'a: b: c', type: 'application/yaml' },
      expect: [400, 'yaml: line 1: mapping values are not allowed in this context'],
    },
    { what: `DELETE ${maps}/a`, with: { body: {}, type: 'text/plain' }, expect: [415, unknownFormat] },
    {
      what: `DELETE ${maps}/a`,
      with: { body: { preconditions: { uid: 'x' } } },
      expect: [
        409,
        `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ],
    },
  ],
  'media types of bodies': [
    ...['bogus', ';;;', 'application/json; charset', 'application/cbor', 'application/merge-patch+json'].map(
      (type): Row => ({ what: `POST ${maps}`, with: { body: {}, type }, expect: [415, unknownFormat] }),
    ),
    {
      what: `POST ${maps}`,
      with: { body: 'a: b: c', type: 'application/yaml' },
      expect: [
        400,
        'the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: mapping values are not allowed in this context (613a20623a2063)',
      ],
    },
    ...['application/foo', 'application/json', ''].map((type): Row => ({
      what: `PATCH ${maps}/a`,
      with: { body: {}, type },
      expect: [415, '415: Unsupported Media Type'],
    })),
  ],
  'which error is reported first': [
    { what: `POST ${maps}?dryRun=No`, with: { body: 'x', type: 'text/plain' }, expect: [415, unknownFormat] },
    { what: `POST ${maps}?dryRun=No`, with: { body: 'x' }, expect: [422, /^CreateOptions/] },
    { what: `PUT ${maps}/a?dryRun=No`, with: { body: 'x', type: 'text/plain' }, expect: [422, /^UpdateOptions/] },
    { what: `PUT ${maps}/a`, with: { body: 'x', type: 'text/plain' }, expect: [415, unknownFormat] },
    {
      what: `PUT ${maps}/a`,
      with: { body: { metadata: { name: 'b', namespace: 'c' } } },
      expect: [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    },
    {
      what: `PATCH ${maps}/a?force=true`,
      with: { body: '{', type: 'application/merge-patch+json' },
      expect: [422, /^PatchOptions/],
    },
  ],
  'bodies of apply patches': ['[]', '"x"', '5', 'true'].map((body, i): Row => {
    const type = ['array', 'string', 'number', 'bool'][i];
    return {
      what: `PATCH ${maps}/a?fieldManager=m`,
      with: { body, type: 'application/apply-patch+yaml' },
      expect: [
        400,
        `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
      ],
    };
  }),
  'media types of responses': [
    {
      what: `GET ${maps}/a`,
      with: as('PartialObjectMetadataList'),
      expect: [
        406,
        'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
      ],
    },
    {
      what: 'GET /apis/apps/v1/deployments',
      with: as('PartialObjectMetadata'),
      expect: [406, 'you requested PartialObjectMetadata, but the requested object is a list (*apps.DeploymentList)'],
    },
    {
      what: 'GET /apis/events.k8s.io/v1/events',
      with: as('PartialObjectMetadata'),
      expect: [406, 'you requested PartialObjectMetadata, but the requested object is a list (*core.EventList)'],
    },
  ],
};

for (const [name, rows] of Object.entries(tables))
  t.test(name, async t => {
    for (const { what, with: more, expect } of rows) {
      const { status, json } = await ask(what, more);
      const label = `${what} ${JSON.stringify(more?.body ?? more?.accept ?? '')} ${more?.type ?? ''}`;
      t.equal(status, expect[0], label);
      t.equal(json.kind, 'Status');
      if (typeof expect[1] === 'string') t.equal(json.message, expect[1], label);
      else t.match(json.message, expect[1], label);
    }
  });

t.test('a Status is not converted to a Table', async t => {
  for (const kind of ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']) {
    const { status, json } = await ask(`DELETE ${maps}/a?dryRun=All`, as(kind));
    t.match({ status, json }, { status: 200, json: { kind: 'Status', status: 'Success' } }, kind);
  }
});

t.test('DeleteOptions of any group are accepted', async t => {
  for (const apiVersion of ['v1', 'meta.k8s.io/v1', 'apps/v1', 'other.example.com/v2', undefined]) {
    const { status } = await ask(`DELETE ${maps}/a`, { body: { kind: 'DeleteOptions', apiVersion, dryRun: ['All'] } });
    t.equal(status, 200, String(apiVersion));
  }
});

t.test('refusals in the format that the client accepts', async t => {
  const missing = `GET ${maps}/missing`;
  const json = await ask(missing);
  t.match(json.text, /^\{"kind":"Status",.*\}\n$/);
  const pretty = await ask(`${missing}?pretty=true`);
  t.match(pretty.text, /^\{\n {2}"kind": "Status",\n/);
  const yaml = await ask(missing, { accept: 'application/yaml' });
  t.equal(yaml.headers['content-type'], 'application/yaml');
  t.match(yaml.text, /^apiVersion: v1\ncode: 404\ndetails:\n {2}kind: configmaps\n {2}name: missing\nkind: Status\n/);
  const protobuf = await ask(missing, { accept: 'application/vnd.kubernetes.protobuf' });
  t.equal(protobuf.headers['content-type'], 'application/vnd.kubernetes.protobuf');
  t.match(decodeProtobuf(protobuf.bytes, { apiVersion: '', kind: '' }), {
    kind: 'Status',
    code: 404,
    reason: 'NotFound',
  });
  const group = await ask('GET /apis/apps', { accept: 'application/vnd.kubernetes.protobuf' });
  t.match(decodeProtobuf(group.bytes, { apiVersion: '', kind: '' }), { kind: 'APIGroup', name: 'apps' });
});

t.test('indented for clients that prefer pretty output', async t => {
  for (const path of ['/version', '/']) {
    const { text, headers } = await ask(`GET ${path}`, { accept: 'application/yaml' });
    t.equal(headers['content-type'], 'application/json');
    t.match(text, /^\{\n {2}"/);
  }
});

t.test('paths of unknown groups get plain text', async t => {
  for (const path of [
    '//api/v1/configmaps',
    '//apis/apps/v1/deployments',
    '/apis/policy.karmada.io/v7',
    '/apis/example.com/v1',
  ]) {
    const { status, text } = await ask(`GET ${path}`);
    t.same([status, text], [404, '404 page not found\n'], path);
  }
});

t.test('patches of apiVersion, kind and metadata', async t => {
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const before = (await ask(`GET ${maps}/a`)).json;
  const unread = (field: string, type: string): RegExp =>
    new RegExp(
      `: couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${field} of type string$`,
    );
  const rows: readonly { type: string; body: unknown; expect: readonly [number, RegExp?] }[] = [
    { type: merge, body: { apiVersion: 5 }, expect: [422, unread('apiVersion', 'number')] },
    { type: merge, body: { kind: [] }, expect: [422, unread('kind', 'array')] },
    { type: merge, body: { kind: null }, expect: [200] },
    { type: strategic, body: { kind: null }, expect: [200] },
    { type: strategic, body: { kind: 'Secret', apiVersion: 'x/y' }, expect: [200] },
    { type: merge, body: { metadata: null }, expect: [400, /was undeterminable: name must be provided$/] },
  ];
  for (const { type, body, expect } of rows) {
    const { status, json } = await ask(`PATCH ${maps}/a`, { type, body });
    t.equal(status, expect[0], JSON.stringify(body));
    if (expect[1]) t.match(json.message, expect[1]);
    else t.same(json, before, 'nothing changes');
  }
  for (const body of [{ apiVersion: 5 }, { apiVersion: {}, kind: 'ConfigMap' }, { kind: 5 }]) {
    const type = 'application/apply-patch+yaml';
    const { status, json } = await ask(`PATCH ${maps}/a?fieldManager=m`, { type, body });
    t.equal(status, 400);
    t.match(json.message, /^invalid object type: \/, Kind=(?:ConfigMap)?$/);
  }
});
