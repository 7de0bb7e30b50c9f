/** Refused requests, with the whole Status. */
import t from 'tap';
import { type Ask, httpClient } from '../apiserver/http-client.js';
import { runningServer } from '../apiserver/running.js';

const server = await runningServer(t);
const ask = httpClient(t, server);
const maps = '/api/v1/namespaces/default/configmaps';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces';
const group = 'rbac.authorization.k8s.io';

const map = (name: string, metadata: object = {}, more: object = {}): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } },
  ...more,
});
const role = (name: string, metadata: object = {}): object => ({
  ...{ apiVersion: `${group}/v1`, kind: 'Role', metadata: { name, ...metadata } },
});
const sent = (type: string, body: unknown): Ask => ({ type: `application/${type}`, body });
const as = (user: string): Ask => ({ headers: { 'impersonate-user': user } });

await ask(`POST ${maps}`, { body: map('a') });
await ask(`PATCH ${maps}/a?fieldManager=m1`, sent('apply-patch+yaml', map('a', {}, { data: { a: '1', b: '1' } })));
await ask(`POST ${maps}`, { body: map('going', { finalizers: ['example.com/x'] }) });
await ask(`DELETE ${maps}/going`);
await ask('POST /api/v1/namespaces', { body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } } });
await ask('DELETE /api/v1/namespaces/ending');
const { uid, resourceVersion } = (await ask(`GET ${maps}/a`)).json.metadata as unknown as Record<string, string>;

const named = { name: 'a', kind: 'configmaps' };
const cannotBeFulfilled = 'Operation cannot be fulfilled on configmaps "a": ';
const modified = 'the object has been modified; please apply your changes to the latest version and try again';
const badKey =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const badLabel = {
  reason: 'FieldValueInvalid',
  message: `Invalid value: "bad key": ${badKey}`,
  field: 'metadata.labels',
};
const tooLarge = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
const ownedBy = (field: string): object => ({
  ...{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field },
});

interface Row {
  readonly id: string;
  readonly what: string;
  readonly with?: Ask;
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const notFound = (id: string, what: string, of: string, details: object, more?: Ask): Row => ({
  ...{ id, what, ...(more && { with: more }) },
  ...{ code: 404, reason: 'NotFound', message: `${of} not found`, details },
});
const missing = { name: 'none', kind: 'configmaps' };
const conflict = (id: string, what: string, more: Ask, why = modified): Row => ({
  ...{ id, what, with: more },
  ...{ code: 409, reason: 'Conflict', message: cannotBeFulfilled + why, details: named },
});
const stale = { resourceVersion: '1' };

const rows: readonly Row[] = [
  notFound('get of nothing', `GET ${maps}/none`, 'configmaps "none"', missing),
  notFound('delete of nothing', `DELETE ${maps}/none`, 'configmaps "none"', missing),
  notFound('update of nothing', `PUT ${maps}/none`, 'configmaps "none"', missing, { body: map('none') }),
  notFound('patch of nothing', `PATCH ${maps}/none`, 'configmaps "none"', missing, sent('merge-patch+json', {})),
  notFound('get of nothing in a named group', `GET ${roles}/default/roles/none`, `roles.${group} "none"`, {
    name: 'none',
    group,
    kind: 'roles',
  }),
  {
    ...{ id: 'create of what exists', what: `POST ${maps}`, with: { body: map('a') } },
    ...{ code: 409, reason: 'AlreadyExists', message: 'configmaps "a" already exists', details: named },
  },
  {
    ...{ id: 'create of what is terminating', what: `POST ${maps}`, with: { body: map('going') } },
    ...{ code: 409, reason: 'AlreadyExists', details: { name: 'going', kind: 'configmaps' } },
    message: 'object is being deleted: configmaps "going" already exists',
  },
  conflict('stale put', `PUT ${maps}/a`, { body: map('a', stale) }),
  conflict('stale merge patch', `PATCH ${maps}/a`, sent('merge-patch+json', { metadata: stale })),
  conflict('stale strategic merge patch', `PATCH ${maps}/a`, sent('strategic-merge-patch+json', { metadata: stale })),
  conflict(
    'stale json patch',
    `PATCH ${maps}/a`,
    sent('json-patch+json', [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]),
  ),
  conflict('stale apply', `PATCH ${maps}/a?fieldManager=m`, sent('apply-patch+yaml', map('a', stale))),
  conflict(
    'put with the uid of another',
    `PUT ${maps}/a`,
    { body: map('a', { uid: 'x' }) },
    `StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${uid}`,
  ),
  {
    ...{
      id: 'put of nothing with a uid',
      what: `PUT ${roles}/default/roles/none`,
      with: { body: role('none', { uid: 'x' }) },
    },
    ...{ code: 409, reason: 'Conflict', details: { name: 'none', group, kind: 'roles' } },
    message: `Operation cannot be fulfilled on roles.${group} "none": StorageError: invalid object, Code: 4, Key: /registry/roles/default/none, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: `,
  },
  {
    ...{
      id: 'delete with the uid of another',
      what: `DELETE ${maps}/a`,
      with: { body: { preconditions: { uid: 'x' } } },
    },
    ...{ code: 409, reason: 'Conflict', details: { name: 'a', kind: 'ConfigMap' } },
    message: `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  },
  {
    ...{ id: 'stale delete', what: `DELETE ${maps}/a`, with: { body: { preconditions: stale } } },
    ...{ code: 409, reason: 'Conflict', details: { name: 'a', kind: 'ConfigMap' } },
    message: `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
  },
  {
    ...{ id: 'invalid', what: `PUT ${maps}/a`, with: { body: map('a', { labels: { 'bad key': 'x' } }) } },
    ...{ code: 422, reason: 'Invalid' },
    message: `ConfigMap "a" is invalid: metadata.labels: ${badLabel.message}`,
    // The fault is reported by each validation: of the object, of the update, and both again by the kind.
    details: { name: 'a', kind: 'ConfigMap', causes: [badLabel, badLabel, badLabel, badLabel] },
  },
  {
    ...{ id: 'invalid in a named group', what: `POST ${roles}/default/roles`, with: { body: role('a/b') } },
    ...{ code: 422, reason: 'Invalid' },
    message: `Role.${group} "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain '/'`,
    details: {
      ...{ name: 'a/b', group, kind: 'Role' },
      causes: [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "a/b": may not contain \'/\'',
          field: 'metadata.name',
        },
      ],
    },
  },
  {
    ...{ id: 'truncated json', what: `POST ${maps}`, with: { body: '{"a":' }, code: 400, reason: 'BadRequest' },
    message:
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"a":)',
  },
  {
    ...{
      id: 'no json, and long',
      what: `POST ${maps}`,
      with: { body: 'x'.repeat(31) },
      code: 400,
      reason: 'BadRequest',
    },
    message: `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'x' looking for beginning of value (${'78'.repeat(30)} ...)`,
  },
  {
    ...{ id: 'strict decoding', what: `POST ${maps}?fieldValidation=Strict` },
    with: { body: '{"apiVersion":"v1","kind":"ConfigMap","a":1,"metadata":{"name":"c"},"data":{"b":"1","b":"2"}}' },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "a", duplicate field "data.b"',
  },
  {
    ...{ id: 'another kind', what: `POST ${maps}`, with: { body: { apiVersion: 'v1', kind: 'Secret' } } },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    id: 'another version',
    what: 'POST /apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    with: { body: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' } },
    ...{ code: 400, reason: 'BadRequest' },
    message: 'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
  },
  ...(
    [
      ['apps/v1/namespaces/default/deployments', 'apps/v1beta1', 'Deployment', 'apps/v1'],
      ['apps/v1/namespaces/default/deployments', 'extensions/v1beta1', 'Deployment', 'apps/v1'],
      ['networking.k8s.io/v1/namespaces/default/ingresses', 'extensions/v1beta1', 'Ingress', 'networking.k8s.io/v1'],
      [
        'apiextensions.k8s.io/v1/customresourcedefinitions',
        'apiextensions.k8s.io/v1beta1',
        'CustomResourceDefinition',
        'apiextensions.k8s.io/v1',
      ],
      ['rbac.authorization.k8s.io/v1/clusterroles', 'rbac.authorization.k8s.io/v1alpha1', 'ClusterRole'],
      ['policy/v1/namespaces/default/poddisruptionbudgets', 'policy/v1beta1', 'PodDisruptionBudget', 'policy/v1'],
    ] as const
  ).map(([path, apiVersion, kind, expected = 'rbac.authorization.k8s.io/v1']) => ({
    ...{ id: `${apiVersion} ${kind}, no longer served`, what: `POST /apis/${path}` },
    ...{ with: { body: { apiVersion, kind } }, code: 400, reason: 'BadRequest' },
    message: `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  })),
  {
    ...{
      id: 'another kind of a version no longer served',
      what: 'POST /apis/apps/v1/namespaces/default/deployments',
    },
    with: { body: { apiVersion: 'apps/v1beta2', kind: 'DeploymentList' } },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'DeploymentList in version "v1beta2" cannot be handled as a Deployment: converting (v1beta2.DeploymentList) to (apps.Deployment): unknown conversion',
  },
  {
    ...{ id: 'a kind of no resource', what: `POST ${maps}`, with: { body: { apiVersion: 'v1', kind: 'List' } } },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'List in version "v1" cannot be handled as a ConfigMap: converting (v1.List) to (core.ConfigMap): unknown conversion',
  },
  {
    ...{
      id: 'a kind that extensions do not know',
      what: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    },
    with: { body: { apiVersion: 'v1', kind: 'ConfigMap' } },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'ConfigMap in version "v1" cannot be handled as a CustomResourceDefinition: no kind "ConfigMap" is registered for version "v1" in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55"',
  },
  {
    ...{ id: 'a version that never was', what: 'POST /apis/apps/v1/namespaces/default/deployments' },
    with: { body: { apiVersion: 'apps/v1beta3', kind: 'Deployment' } },
    ...{ code: 400, reason: 'BadRequest' },
    message:
      'Deployment in version "v1beta3" cannot be handled as a Deployment: no kind "Deployment" is registered for version "apps/v1beta3" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  },
  {
    ...{ id: 'another version, the same kind in another group', what: 'POST /api/v1/namespaces/default/events' },
    with: { body: { apiVersion: 'events.k8s.io/v1', kind: 'Event' } },
    ...{ code: 400, reason: 'BadRequest' },
    message: 'the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)',
  },
  {
    ...{ id: 'another namespace', what: `POST ${maps}`, with: { body: map('c', { namespace: 'other' }) } },
    ...{ code: 400, reason: 'BadRequest' },
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  },
  {
    ...{ id: 'another name', what: `PUT ${maps}/a`, with: { body: map('b') }, code: 400, reason: 'BadRequest' },
    message: 'the name of the object (b) does not match the name on the URL (a)',
  },
  {
    ...{ id: 'json patch whose test fails', what: `PATCH ${maps}/a`, code: 422, reason: 'Invalid', details: {} },
    with: sent('json-patch+json', [{ op: 'test', path: '/data/a', value: 'x' }]),
    message: 'the server rejected our request due to an error in our request',
  },
  {
    ...{
      id: 'create with a resourceVersion',
      what: `POST ${maps}`,
      with: { body: map('c', { resourceVersion: '5' }) },
      code: 500,
    },
    message: 'resourceVersion should not be set on objects to be created',
  },
  {
    ...{ id: 'apply against the schema', what: `PATCH ${maps}/a?fieldManager=m`, code: 500 },
    with: sent('apply-patch+yaml', map('a', {}, { spec: {} })),
    message: 'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .spec: field not declared in schema',
  },
  {
    ...{ id: 'apply with one conflict', what: `PATCH ${maps}/a?fieldManager=m2`, code: 409, reason: 'Conflict' },
    with: sent('apply-patch+yaml', map('a', {}, { data: { a: '2' } })),
    message: 'Apply failed with 1 conflict: conflict with "m1": .data.a',
    details: { causes: [ownedBy('.data.a')] },
  },
  {
    ...{ id: 'apply with two conflicts', what: `PATCH ${maps}/a?fieldManager=m2`, code: 409, reason: 'Conflict' },
    with: sent('apply-patch+yaml', map('a', {}, { data: { a: '2', b: '2' } })),
    message: 'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.a\n- .data.b',
    details: { causes: [ownedBy('.data.a'), ownedBy('.data.b')] },
  },
  {
    ...{ id: 'get at a future revision', what: `GET ${maps}/a?resourceVersion=999999`, code: 504, reason: 'Timeout' },
    message: 'Timeout: Too large resource version: 999999, current: {rv}',
    details: { causes: tooLarge, retryAfterSeconds: 1 },
    headers: { 'retry-after': '1' },
  },
  {
    ...{
      id: 'list at a future revision',
      what: `GET ${maps}?resourceVersion=09223372036854775807`,
      code: 504,
      reason: 'Timeout',
    },
    message: 'Timeout: Too large resource version: 9223372036854775807, current: {rv}',
    details: { causes: tooLarge, retryAfterSeconds: 1 },
    headers: { 'retry-after': '1' },
  },
  {
    ...{
      id: 'list at a compacted revision',
      what: `GET ${maps}?resourceVersion=1&resourceVersionMatch=Exact`,
      code: 410,
      reason: 'Expired',
    },
    message: 'The resourceVersion for the provided list is too old.',
  },
  {
    ...{ id: 'forbidden in a namespace', what: `GET ${maps}`, with: as('<jane>'), code: 403, reason: 'Forbidden' },
    message:
      'configmaps is forbidden: User "&lt;jane&gt;" cannot list resource "configmaps" in API group "" in the namespace "default"',
    details: { kind: 'configmaps' },
  },
  {
    ...{
      id: 'forbidden at the cluster scope',
      what: 'GET /api/v1/nodes/n',
      with: as('jane'),
      code: 403,
      reason: 'Forbidden',
    },
    message: 'nodes "n" is forbidden: User "jane" cannot get resource "nodes" in API group "" at the cluster scope',
    details: { name: 'n', kind: 'nodes' },
  },
  {
    ...{ id: 'forbidden path', what: 'GET /x', with: as('jane'), code: 403, reason: 'Forbidden', details: {} },
    message: 'forbidden: User "jane" cannot get path "/x"',
  },
  {
    ...{
      id: 'delete of a namespace that stays',
      what: 'DELETE /api/v1/namespaces/kube-system',
      code: 403,
      reason: 'Forbidden',
    },
    message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    details: { name: 'kube-system', kind: 'namespaces' },
  },
  notFound(
    'create in no namespace',
    'POST /api/v1/namespaces/none/configmaps',
    'namespaces "none"',
    { name: 'none', kind: 'namespaces' },
    { body: map('c') },
  ),
  ...(
    [
      ['POST', '/api/v1/namespaces/ending/configmaps', map('c'), 'configmaps "c"', { name: 'c', kind: 'configmaps' }],
      ['PUT', `${roles}/ending/roles/c`, role('c'), `roles.${group} "c"`, { name: 'c', group, kind: 'roles' }],
    ] as const
  ).map(([method, path, body, of, details]): Row => ({
    ...{
      id: `${method} in a terminating namespace`,
      what: `${method} ${path}`,
      with: { body },
      code: 403,
      reason: 'Forbidden',
    },
    message: `${of} is forbidden: unable to create new content in namespace ending because it is being terminated`,
    details: {
      ...details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace ending is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  })),
];

for (const { id, what, with: how, headers = {}, ...expect } of rows) {
  t.test(id, async t => {
    const answer = await ask(what, { ...how, headers: { ...how?.headers } });
    t.equal(answer.status, expect.code);
    const text = answer.text.replace(/current: \d+/, 'current: {rv}');
    const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
    t.strictSame(JSON.parse(text), { ...head, ...expect });
    t.equal(answer.headers['content-type'], 'application/json');
    const expected = { ...(expect.code === 403 && { 'x-content-type-options': 'nosniff' }), ...headers };
    const { 'retry-after': retry, 'x-content-type-options': options } = answer.headers;
    t.same({ ...(retry && { 'retry-after': retry }), ...(options && { 'x-content-type-options': options }) }, expected);
  });
}

t.test('a watch from a compacted revision fails', async t => {
  const { status, text } = await ask(`GET ${maps}?watch=true&resourceVersion=1`);
  t.equal(status, 200);
  const { type, object } = JSON.parse(text) as { type: string; object: { message: string } };
  t.equal(type, 'ERROR');
  t.match(object, { kind: 'Status', reason: 'Expired', code: 410, message: /^too old resource version: 1 \(\d+\)$/ });
});

t.test('a deletion returns a Status of success', async t => {
  const { status, json } = await ask(`DELETE ${maps}/a`);
  t.equal(status, 200);
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  t.strictSame(json, { ...head, details: { ...named, uid } });
});
