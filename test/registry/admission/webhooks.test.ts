import t, { type Test } from 'tap';
import { serviceResolver } from '../../../aggregation/webhooks/resolve-service.js';
import type { KubeObject } from '../../../openapi/interface.js';
import type { Client } from '../../../registry/interface.js';
import {
  type Webhook,
  admissionAnswer as answer,
  patchAnswer as patch,
  startWebhook,
} from '../../aggregation/webhooks.js';
import { configMap, configmaps, deployment, deployments, namespaces, refusal } from '../serve.js';
import { crds, define, definition, version, widget, widgets } from '../dynamic/definitions.js';
import {
  type Configured,
  configured,
  eventually,
  mutatingConfigurations,
  refused,
  v1,
  validatingConfigurations,
} from './configured.js';
import { object, resource } from './guarded.js';

const x = { name: 'x', namespace: 'default' };
const uidForm = /^[0-9a-f-]{36}$/;

type Kind = 'Mutating' | 'Validating';

const hook = (webhook: Webhook, more: object = {}): object => ({
  name: 'w.example.com',
  clientConfig: { url: `${webhook.url}/w`, caBundle: webhook.caBundle },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

const configurations = (kind: Kind) => (kind === 'Mutating' ? mutatingConfigurations : validatingConfigurations);

async function configure(client: Client, kind: Kind, name: string, ...webhooks: object[]): Promise<void> {
  await client.create(configurations(kind), object(v1, `${kind}WebhookConfiguration`, { name }, { webhooks }));
}

/** What is configured is not in force any more. */
async function forget(
  server: Configured,
  kind: Kind,
  name: string,
  webhook: Webhook,
  attempt = () => create(server),
): Promise<void> {
  await server.client.delete(configurations(kind), { name });
  await eventually(
    async () => {
      const before = webhook.calls.length;
      await refusal(attempt());
      return webhook.calls.length - before;
    },
    calls => calls === 0,
  );
  webhook.calls.length = 0;
}

const create = ({ client }: Configured, more: Record<string, unknown> = {}) =>
  client.create(configmaps, configMap('x', more), { dryRun: true });

/** In force: the webhook is asked. */
async function called(webhook: Webhook, attempt: () => Promise<unknown>): Promise<unknown> {
  return eventually(attempt, () => webhook.calls.length > 0);
}

const requestOf = (webhook: Webhook, at = -1) => webhook.calls.at(at)?.body['request'] as Record<string, unknown>;

async function start(t: Test): Promise<{ readonly server: Configured; readonly webhook: Webhook }> {
  const [server, webhook] = await Promise.all([configured(t), startWebhook(t, review => answer(review))]);
  return { server, webhook };
}

t.test('what a webhook is told', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  await configure(client, 'Validating', 'c', hook(webhook, { timeoutSeconds: 7 }));
  await called(webhook, () => create(server, { data: { k: 'v' } }));
  t.equal(webhook.calls[0]?.path, '/w?timeout=7s');
  const { uid, ...request } = requestOf(webhook, 0);
  t.match(uid, uidForm);
  t.match(webhook.calls[0]?.body, { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
  t.match(request, {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'x',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data: { k: 'v' } },
    oldObject: null,
    dryRun: true,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
  });
  t.notOk('subResource' in request);

  await client.create(configmaps, configMap('x', { data: { k: '1' } }));
  await client.patch(configmaps, x, { type: 'merge', patch: { data: { k: '2' } } });
  t.match(requestOf(webhook), {
    operation: 'UPDATE',
    dryRun: false,
    object: { data: { k: '2' } },
    oldObject: { data: { k: '1' } },
  });
  await client.delete(configmaps, x);
  t.match(requestOf(webhook), {
    operation: 'DELETE',
    name: 'x',
    object: null,
    oldObject: { data: { k: '2' } },
    options: { kind: 'DeleteOptions' },
  });
  await client.create(configmaps, configMap('', { metadata: { name: '', generateName: 'g-' } }), { dryRun: true });
  t.notOk('name' in requestOf(webhook), 'there is no name yet');
  for (const name of ['a', 'b']) await client.create(configmaps, configMap(name));
  webhook.calls.length = 0;
  await client.deleteCollection(configmaps, { namespace: 'default' });
  t.same(
    webhook.calls.map(({ body }) => (body['request'] as { operation: string; name: string }).name).sort(),
    ['a', 'b'],
    'each of a collection',
  );
});

t.test('refusals', async t => {
  const { server, webhook } = await start(t);
  const said = 'admission webhook "w.example.com" denied the request';
  const cases: { name: string; given: Record<string, unknown>; expect: string }[] = [
    { name: 'nothing said', given: {}, expect: `400 : ${said} without explanation` },
    { name: 'a message', given: { status: { message: 'no' } }, expect: `400 : ${said}: no` },
    {
      name: 'a reason',
      given: { status: { reason: 'Forbidden', code: 403 } },
      expect: `403 Forbidden: ${said}: Forbidden`,
    },
    { name: 'a code that is none', given: { status: { code: 200, message: 'no' } }, expect: `400 : ${said}: no` },
    {
      name: 'more',
      given: { status: { code: 422, reason: 'Invalid', message: 'no' } },
      expect: `422 Invalid: ${said}: no`,
    },
  ];
  for (const kind of ['Mutating', 'Validating'] as const) {
    await configure(server.client, kind, 'c', hook(webhook));
    await called(webhook, () => create(server));
    for (const { name, given, expect } of cases) {
      webhook.answer = review => answer(review, { allowed: false, ...given });
      t.equal(await refusal(create(server)), expect, `${kind}: ${name}`);
    }
    webhook.answer = review =>
      answer(review, { allowed: false, warnings: ['careful'], status: { details: { causes: [{ field: 'a' }] } } });
    t.match(await create(server).catch((error: unknown) => error), {
      status: { details: { causes: [{ field: 'a' }] } },
    });
    t.equal(server.warnings.at(-1), 'careful', 'warnings come with refusals too');
    webhook.answer = review => answer(review);
    await forget(server, kind, 'c', webhook);
  }
});

t.test('calls that fail', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  const head = '500 InternalError: Internal error occurred: failed calling webhook "w.example.com": ';
  const invalid = `${head}received invalid webhook response: `;
  const at = `Post "${webhook.url}/w?timeout=1s": `;
  const uid = (review: Record<string, unknown>): string => (review['request'] as { uid: string }).uid;
  const reviewed = (response: object, more: object = {}) => ({
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more },
  });
  const cases: { name: string; given: Webhook['answer']; expect: string }[] = [
    {
      name: 'silence',
      given: () => ({ silent: true }),
      expect: `${head}failed to call webhook: ${at}context deadline exceeded`,
    },
    {
      name: 'garbage',
      given: () => ({ body: 'hello', type: 'text/plain' }),
      expect: `${head}failed to call webhook: couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value`,
    },
    {
      name: 'nothing',
      given: () => ({ body: '' }),
      expect: `${head}failed to call webhook: 0-length response with status code: 200 and content type: application/json`,
    },
    {
      name: 'a list',
      given: () => ({ body: [] }),
      expect: `${invalid}json: cannot unmarshal array into Go struct field AdmissionReview of type v1.AdmissionReview`,
    },
    {
      name: 'no response',
      given: () => ({ body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } }),
      expect: `${invalid}webhook response was absent`,
    },
    {
      name: 'another uid',
      given: () => reviewed({ uid: 'x', allowed: true }),
      expect: `${invalid}expected response.uid="UID", got "x"`,
    },
    {
      name: 'another kind',
      given: review => reviewed({ uid: uid(review), allowed: true }, { kind: 'Other' }),
      expect: `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=Other`,
    },
    {
      name: 'a text for a flag',
      given: review => reviewed({ uid: uid(review), allowed: 'yes' }),
      expect: `${invalid}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
    },
    {
      name: 'a patch',
      given: review => reviewed({ uid: uid(review), allowed: true, patch: 'W10=' }),
      expect: `${invalid}validating webhook may not return response.patch`,
    },
    {
      name: 'a patch type',
      given: review => reviewed({ uid: uid(review), allowed: true, patchType: 'JSONPatch' }),
      expect: `${invalid}validating webhook may not return response.patchType`,
    },
    {
      name: '500',
      given: () => ({ status: 500, body: 'oh "no"' }),
      expect: `${head}failed to call webhook: an error on the server ("oh \\"no\\"") has prevented the request from succeeding`,
    },
    {
      name: '404',
      given: () => ({ status: 404 }),
      expect: `${head}failed to call webhook: the server could not find the requested resource`,
    },
    {
      name: '301',
      given: () => ({ status: 301 }),
      expect: `${head}failed to call webhook: the server responded with the status code 301 but did not return more information`,
    },
    {
      name: 'a Status',
      given: () => ({
        status: 403,
        body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'who are you' },
      }),
      expect: `${head}failed to call webhook: who are you`,
    },
  ];
  const open = hook(webhook, { name: 'o.example.com', failurePolicy: 'Ignore', timeoutSeconds: 1 });
  await configure(client, 'Validating', 'c', hook(webhook, { timeoutSeconds: 1 }));
  await called(webhook, () => create(server));
  for (const { name, given, expect } of cases) {
    webhook.answer = given;
    t.equal(
      (await refusal(create(server))).replace(/response\.uid="[0-9a-f-]{36}"/, 'response.uid="UID"'),
      expect,
      name,
    );
  }
  webhook.answer = review => answer(review);
  await forget(server, 'Validating', 'c', webhook);
  await configure(client, 'Validating', 'c', open);
  await called(webhook, () => create(server));
  for (const { name, given } of cases) {
    webhook.answer = given;
    t.equal(await refusal(create(server)), 'allowed', `ignored: ${name}`);
  }
  t.equal(server.annotations.get('failed-open.validating.webhook.admission.k8s.io/round_0_index_0'), 'o.example.com');
});

t.test('webhooks that cannot be reached', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  const other = await startWebhook(t, review => answer(review), ['elsewhere.example.com']);
  const head = '500 InternalError: Internal error occurred: failed calling webhook "w.example.com": ';
  const services = resource('services');
  await client.create(
    services,
    object(
      'v1',
      'Service',
      { name: 'external', namespace: 'default' },
      { spec: { type: 'ExternalName', externalName: '127.0.0.1' } },
    ),
  );
  await client.create(
    services,
    object(
      'v1',
      'Service',
      { name: 'empty', namespace: 'default' },
      { spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 443 }] } },
    ),
  );
  const cases: { name: string; given: object; expect: string }[] = [
    {
      name: 'nobody listens',
      given: { url: 'https://127.0.0.1:1/a' },
      expect:
        'failed to call webhook: Post "https://127.0.0.1:1/a?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    },
    {
      name: 'an authority that is unknown',
      given: { url: `${webhook.url}/a` },
      expect: `failed to call webhook: Post "${webhook.url}/a?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    },
    {
      name: 'the certificate of another',
      given: { url: `${other.url}/a`, caBundle: other.caBundle },
      expect: `failed to call webhook: Post "${other.url}/a?timeout=10s": tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    },
    {
      name: 'a bundle that is none',
      given: { url: `${webhook.url}/a`, caBundle: 'aGVsbG8=' },
      expect: 'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    },
    {
      name: 'no such service',
      given: { service: { namespace: 'default', name: 'none', path: '/p' } },
      expect: 'failed to call webhook: Post "https://none.default.svc:443/p?timeout=10s": services "none" not found',
    },
    {
      name: 'no such port',
      given: { service: { namespace: 'default', name: 'empty', port: 8443 } },
      expect:
        'failed to call webhook: Post "https://empty.default.svc:8443/?timeout=10s": no service port 8443 found for service "empty"',
    },
    {
      name: 'no endpoints',
      given: { service: { namespace: 'default', name: 'empty' } },
      expect:
        'failed to call webhook: Post "https://empty.default.svc:443/?timeout=10s": no endpoints available for service "empty"',
    },
  ];
  for (const [i, { name, given, expect }] of cases.entries()) {
    await configure(client, 'Validating', `c${i}`, hook(webhook, { clientConfig: given }));
    t.equal(await refused(() => create(server)), head + expect, name);
    await client.delete(validatingConfigurations, { name: `c${i}` });
    await eventually(
      () => refusal(create(server)),
      text => text === 'allowed',
    );
  }
});

t.test('services: by another name, and by their endpoints', async t => {
  const server = await configured(t);
  const { client } = server;
  const webhook = await startWebhook(t, review => answer(review), ['named.default.svc']);
  const services = resource('services');
  const make = (name: string, spec: object): Promise<unknown> =>
    client.create(services, object('v1', 'Service', { name, namespace: 'default' }, { spec }));
  await make('named', { type: 'ExternalName', externalName: '127.0.0.1' });
  const { caBundle } = webhook;
  const service = { namespace: 'default', name: 'named', port: webhook.port, path: '/named' };
  await configure(client, 'Validating', 'c', hook(webhook, { clientConfig: { service, caBundle } }));
  await called(webhook, () => create(server));
  t.match(webhook.calls[0]?.path, '/named?timeout=10s');

  const ports = [{ name: 'https', port: 443 }];
  const families = { ipFamilies: ['IPv4'] };
  await make('behind', { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ...families, ports });
  await make('alone', { clusterIP: '10.0.0.8', clusterIPs: ['10.0.0.8'], ...families, ports });
  const labels = { 'kubernetes.io/service-name': 'behind' };
  const slice = {
    addressType: 'IPv4',
    ports: [{ name: 'https', port: 8443 }],
    endpoints: [
      { addresses: ['10.1.0.1'], conditions: { ready: false } },
      { addresses: ['10.1.0.2'], conditions: { ready: true } },
    ],
  };
  const slices = resource('endpointslices', 'discovery.k8s.io');
  await client.create(
    slices,
    object('discovery.k8s.io/v1', 'EndpointSlice', { name: 'b', namespace: 'default', labels }, slice),
  );
  const resolve = serviceResolver({ client, self: () => ({ host: '127.0.0.1', port: 6443 }) });
  t.same(await resolve('default', 'behind', 443), { host: '10.1.0.2', port: 8443 });
  t.same(await resolve('default', 'alone', 443), { host: '10.0.0.8', port: 443 });
  t.same(await resolve('default', 'kubernetes', 443), { host: '127.0.0.1', port: 6443 }, 'the server itself');
});

t.test('which requests webhooks are about', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  await client.create(namespaces, object('v1', 'Namespace', { name: 'labelled', labels: { hook: 'yes' } }));
  const rule = (more: object) => ({
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'], ...more }],
  });
  const cm = (namespace = 'default', labels = {}) =>
    client.create(configmaps, { ...configMap('x'), metadata: { name: 'x', namespace, labels } }, { dryRun: true });
  const ns = (labels = {}) =>
    client.create(namespaces, object('v1', 'Namespace', { name: 'n', labels }), { dryRun: true });
  const dep = () => client.create(deployments, deployment('x'), { dryRun: true });
  await client.create(deployments, deployment('standing'));
  const scale = () =>
    client.patch(
      deployments,
      { name: 'standing', namespace: 'default' },
      { type: 'merge', patch: { spec: { replicas: 1 } } },
      { subresource: 'scale', dryRun: true },
    );
  const cases: { name: string; given: object; yes: () => Promise<unknown>; no: () => Promise<unknown> }[] = [
    {
      name: 'namespaces',
      given: { namespaceSelector: { matchLabels: { hook: 'yes' } } },
      yes: () => cm('labelled'),
      no: () => cm(),
    },
    {
      name: 'namespaces themselves',
      given: { ...rule({ resources: ['namespaces'] }), namespaceSelector: { matchLabels: { hook: 'yes' } } },
      yes: () => ns({ hook: 'yes' }),
      no: () => ns(),
    },
    {
      name: 'objects',
      given: { objectSelector: { matchLabels: { hook: 'yes' } } },
      yes: () => cm('default', { hook: 'yes' }),
      no: () => cm(),
    },
    {
      name: 'operations',
      given: rule({ operations: ['CREATE'] }),
      yes: () => cm(),
      no: () => client.delete(deployments, { name: 'standing', namespace: 'default' }, { dryRun: true }),
    },
    { name: 'groups', given: rule({ apiGroups: ['apps'] }), yes: dep, no: () => cm() },
    { name: 'cluster-scoped', given: rule({ scope: 'Cluster' }), yes: () => ns(), no: () => cm() },
    { name: 'namespaced', given: rule({ scope: 'Namespaced' }), yes: () => cm(), no: () => ns() },
    { name: 'resources without their parts', given: rule({ resources: ['deployments'] }), yes: dep, no: scale },
    { name: 'parts', given: rule({ resources: ['*/scale'] }), yes: scale, no: dep },
    { name: 'parts of one resource', given: rule({ resources: ['deployments/*'] }), yes: scale, no: () => cm() },
    {
      name: 'conditions',
      given: { matchConditions: [{ name: 'a', expression: "object.metadata.namespace != 'default'" }] },
      yes: () => cm('labelled'),
      no: () => cm(),
    },
  ];
  for (const { name, given, yes, no } of cases) {
    await configure(client, 'Validating', 'c', hook(webhook, given));
    await called(webhook, yes);
    webhook.calls.length = 0;
    await no();
    t.equal(webhook.calls.length, 0, name);
    await forget(server, 'Validating', 'c', webhook, yes as () => Promise<KubeObject>);
  }
});

t.test('conditions that fail', async t => {
  const { server, webhook } = await start(t);
  const conditions = { matchConditions: [{ name: 'a', expression: 'object.none == 1' }] };
  await configure(server.client, 'Validating', 'c', hook(webhook, conditions));
  t.equal(
    await refused(() => create(server)),
    `403 Forbidden: configmaps "x" is forbidden: expression 'object.none == 1' resulted in error: no such key: none`,
  );
  await server.client.patch(
    validatingConfigurations,
    { name: 'c' },
    { type: 'json', patch: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }] },
  );
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
  t.equal(webhook.calls.length, 0);
});

t.test('objects come in the version that a webhook wants', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  await define(client, definition({ versions: [version('v1'), version('v2')] }));
  const v2 = {
    rules: [{ apiGroups: ['example.com'], apiVersions: ['v2'], operations: ['*'], resources: ['widgets'] }],
  };
  const make = () => client.create(widgets, widget('x', { spec: { a: 1 } }), { dryRun: true });
  await configure(client, 'Validating', 'c', hook(webhook, v2));
  await called(webhook, make);
  t.match(requestOf(webhook), {
    kind: { version: 'v2', kind: 'Widget' },
    resource: { version: 'v2', resource: 'widgets' },
    requestKind: { version: 'v1' },
    requestResource: { version: 'v1' },
    object: { apiVersion: 'example.com/v2', spec: { a: 1 } },
  });
  await forget(server, 'Validating', 'c', webhook, make);
  webhook.answer = review => patch(review, [{ op: 'add', path: '/spec/b', value: 2 }]);
  await configure(client, 'Mutating', 'c', hook(webhook, v2));
  t.match(await called(webhook, make), { apiVersion: 'example.com/v1', spec: { a: 1, b: 2 } });
  await forget(server, 'Mutating', 'c', webhook, make);
  webhook.answer = review => answer(review);
  await configure(client, 'Validating', 'c', hook(webhook, { ...v2, matchPolicy: 'Exact' }));
  await configure(client, 'Validating', 'd', hook(webhook));
  await called(webhook, () => create(server));
  webhook.calls.length = 0;
  await make();
  t.equal(webhook.calls.length, 0, 'exactly means exactly');
});

t.test('patches', async t => {
  const { server, webhook } = await start(t);
  const { client, annotations } = server;
  await configure(
    client,
    'Mutating',
    'c',
    hook(webhook, {
      rules: [
        { apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'deployments'] },
      ],
    }),
  );
  await called(webhook, () => create(server));
  webhook.answer = review =>
    patch(review, [
      { op: 'add', path: '/data', value: { k: 'v' } },
      { op: 'add', path: '/nope', value: 1 },
    ]);
  const made = await client.create(configmaps, configMap('x'));
  t.same(made['data'], { k: 'v' });
  t.notOk('nope' in made, 'what the kind does not have is left out');
  t.notOk(
    (made.metadata.managedFields ?? []).some(entry => JSON.stringify(entry).includes('f:k')),
    'nobody owns it',
  );
  t.same(JSON.parse(annotations.get('patch.webhook.admission.k8s.io/round_0_index_0') ?? ''), {
    configuration: 'c',
    webhook: 'w.example.com',
    patch: [
      { op: 'add', path: '/data', value: { k: 'v' } },
      { op: 'add', path: '/nope', value: 1 },
    ],
    patchType: 'JSONPatch',
  });
  t.match(
    annotations.get('mutation.webhook.admission.k8s.io/round_0_index_0'),
    '{"configuration":"c","webhook":"w.example.com","mutated":false}',
  );
  webhook.answer = review =>
    patch(review, [{ op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'side', image: 's:1' } }]);
  const dep = await client.create(deployments, deployment('x'));
  t.match(
    dep,
    {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'c' },
              { name: 'side', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' },
            ],
          },
        },
      },
    },
    'defaults come after',
  );

  const head = '500 InternalError: Internal error occurred: ';
  const failed = `${head}failed calling webhook "w.example.com": received `;
  const encoded = (value: string): string => Buffer.from(value).toString('base64');
  const cases: { name: string; given: Record<string, unknown>; expect: string }[] = [
    {
      name: 'not base64 of JSON',
      given: { patchType: 'JSONPatch', patch: encoded('{') },
      expect: `${failed}undecodable patch in webhook response: unexpected end of JSON input`,
    },
    {
      name: 'no list',
      given: { patchType: 'JSONPatch', patch: encoded('{}') },
      expect: `${failed}undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
    },
    {
      name: 'no type',
      given: { patch: encoded('[]') },
      expect: `${failed}invalid webhook response: webhook returned response.patch but not response.patchType`,
    },
    {
      name: 'no patch',
      given: { patchType: 'JSONPatch' },
      expect: `${failed}invalid webhook response: webhook returned response.patchType but not response.patch`,
    },
    {
      name: 'another type',
      given: { patchType: 'Merge', patch: encoded('[{"op":"remove","path":"/data"}]') },
      expect: `${head}failed calling webhook "w.example.com": unsupported patch type "Merge"`,
    },
    {
      name: 'what does not fit',
      given: { patchType: 'JSONPatch', patch: encoded('[{"op":"remove","path":"/none"}]') },
      expect: head,
    },
    {
      name: 'what is of another type',
      given: { patchType: 'JSONPatch', patch: encoded('[{"op":"add","path":"/data","value":7}]') },
      expect: head,
    },
  ];
  for (const { name, given, expect } of cases) {
    webhook.answer = review => answer(review, { allowed: true, ...given });
    t.equal((await refusal(create(server))).slice(0, expect.length), expect, name);
  }
  webhook.answer = review => patch(review, [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }]);
  t.equal(
    await refusal(client.delete(configmaps, x)),
    `${head}admission webhook "w.example.com" attempted to modify the object, which is not supported for this operation`,
  );
  webhook.answer = review =>
    patch(review, [{ op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Nope' }] }]);
  const kept = await client.create(configmaps, configMap('y', { data: { a: 'b' } }));
  t.match(kept.metadata.managedFields, [{ manager: 'test', operation: 'Update' }], 'managed fields stay readable');
  t.match(server.warnings.at(-1), /^\.metadata\.managedFields was in an invalid state after admission/);
  webhook.answer = review => patch(review, [{ op: 'replace', path: '/metadata/name', value: 'Not A Name' }]);
  t.match(
    await refusal(create(server)),
    '422 Invalid: ConfigMap "Not A Name" is invalid: metadata.name',
    'rules come after',
  );
  const moved = '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request';
  await client.create(namespaces, object('v1', 'Namespace', { name: 'other' }));
  webhook.answer = review => patch(review, [{ op: 'add', path: '/metadata/namespace', value: 'other' }]);
  t.equal(await refusal(client.create(configmaps, configMap('z'))), moved, 'nothing is stored elsewhere');
  t.equal(await refusal(client.patch(configmaps, { ...x, name: 'y' }, { type: 'merge', patch: { data: {} } })), moved);
});

t.test('webhooks of long ago, and of another time', async t => {
  const { server, webhook } = await start(t);
  const old = hook(webhook, { admissionReviewVersions: ['v0', 'v1beta1'] });
  webhook.answer = () => ({
    body: {
      response: {
        allowed: true,
        patch: Buffer.from('[{"op":"add","path":"/data","value":{"a":"b"}}]').toString('base64'),
      },
    },
  });
  await configure(server.client, 'Mutating', 'c', old);
  t.match(await called(webhook, () => create(server)), { data: { a: 'b' } });
  t.equal(webhook.calls[0]?.body['apiVersion'], 'admission.k8s.io/v1beta1');
});

t.test('dry runs are for webhooks that have no side effects', async t => {
  const { server, webhook } = await start(t);
  await configure(server.client, 'Validating', 'c', hook(webhook, { sideEffects: 'NoneOnDryRun' }));
  await called(webhook, () => create(server));
  t.equal(requestOf(webhook)['dryRun'], true);
});

t.test('the order of mutating webhooks, and who is asked again', async t => {
  const { server, webhook } = await start(t);
  const { client, annotations } = server;
  const at = (path: string, more: object = {}) =>
    hook(webhook, {
      name: `${path}.example.com`,
      clientConfig: { url: `${webhook.url}/${path}`, caBundle: webhook.caBundle },
      ...more,
    });
  webhook.answer = (review, path) => {
    const { data = {} } = (review['request'] as { object: { data?: Record<string, string> } }).object;
    const seen = Object.keys(data).length;
    const name = path.slice(1, 2);
    return name in data
      ? patch(review, [{ op: 'replace', path: `/data/${name}`, value: `${data[name]},${seen}` }])
      : patch(review, [
          ...('d' in data || seen > 0 ? [] : [{ op: 'add', path: '/data', value: {} }]),
          { op: 'add', path: `/data/${name}`, value: String(seen) },
        ]);
  };
  await configure(client, 'Mutating', 'm2', at('c'));
  await configure(client, 'Mutating', 'm1', at('a', { reinvocationPolicy: 'IfNeeded' }), at('b'));
  const made = await eventually(
    () => create(server),
    ({ data }) => Object.keys(data ?? {}).length === 3,
  );
  t.same(made['data'], { a: '0,3', b: '1', c: '2' }, 'a again, since others came after it');
  t.equal(
    annotations.get('mutation.webhook.admission.k8s.io/round_1_index_0'),
    '{"configuration":"m1","webhook":"a.example.com","mutated":true}',
  );
  t.notOk(annotations.has('mutation.webhook.admission.k8s.io/round_1_index_1'));
  server.addMutation(({ object }) => {
    if (object?.kind === 'ConfigMap') object['data'] = { ...(object['data'] as object), late: 'x' };
  });
  t.same((await create(server))['data'], { a: '0,4', b: '1', c: '2', late: 'x' }, 'plugins run again as well');
});

t.test('validating webhooks are asked all at once', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  let waiting: (() => void)[] = [];
  const names = ['a', 'b', 'c'];
  const all = names.map(name =>
    hook(webhook, {
      name: `${name}.example.com`,
      clientConfig: { url: `${webhook.url}/${name}`, caBundle: webhook.caBundle },
    }),
  );
  await configure(client, 'Validating', 'c', ...all);
  await eventually(
    () => create(server),
    () => webhook.calls.length >= 3,
  );
  webhook.answer = async review => {
    await new Promise<void>(resolve => {
      waiting.push(resolve);
      if (waiting.length < names.length) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return answer(review, { allowed: false });
  };
  t.match(
    await refusal(create(server)),
    /^400 : admission webhook "[abc]\.example\.com" denied the request without explanation$/,
  );
});

t.test('webhooks do not stand in the way of their own configuration', async t => {
  const { server, webhook } = await start(t);
  const { client } = server;
  const everything = { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }] };
  webhook.answer = review => answer(review, { allowed: false });
  await configure(client, 'Validating', 'c', hook(webhook, everything));
  await configure(client, 'Mutating', 'c', hook(webhook, everything));
  await refused(() => create(server));
  t.match(await refusal(client.create(crds, definition())), /denied the request/);
  await client.patch(
    validatingConfigurations,
    { name: 'c' },
    { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } },
  );
  await client.delete(validatingConfigurations, { name: 'c' });
  await client.delete(mutatingConfigurations, { name: 'c' });
  await eventually(
    () => refusal(create(server)),
    text => text === 'allowed',
  );
});
