/** Requests to webhooks, the meaning of their responses, and failing calls. */
import t from 'tap';
import { serviceResolver } from '../../../aggregation/webhooks/resolve-service.js';
import { type Webhook, admissionAnswer as answer, startWebhook } from '../../aggregation/webhooks.js';
import { configMap, configmaps, refusal } from '../../registry/serve.js';
import { configured, eventually, refused, validatingConfigurations, x, create } from '../plugins/configured.js';
import { object, resource } from '../plugins/guarded.js';
import { uidForm, hook, configure, forget, called, requestOf, start } from './hooked.js';

t.test('the AdmissionReview of a request', async t => {
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
  t.match(requestOf(webhook), { name: /^g-\w{5}$/ });
  for (const name of ['a', 'b']) await client.create(configmaps, configMap(name));
  webhook.calls.length = 0;
  await client.deleteCollection(configmaps, { namespace: 'default' });
  t.same(
    webhook.calls.map(({ body }) => (body['request'] as { operation: string; name: string }).name).sort(),
    ['a', 'b'],
    'one call per object of a collection',
  );
});

t.test('refusals', async t => {
  const { server, webhook } = await start(t);
  const head = 'admission webhook "w.example.com" denied the request';
  const cases: { name: string; given: Record<string, unknown>; expect: string }[] = [
    { name: 'no message', given: {}, expect: `400 : ${head} without explanation` },
    { name: 'a message', given: { status: { message: 'no' } }, expect: `400 : ${head}: no` },
    {
      name: 'a reason',
      given: { status: { reason: 'Forbidden', code: 403 } },
      expect: `403 Forbidden: ${head}: Forbidden`,
    },
    { name: 'an invalid code', given: { status: { code: 200, message: 'no' } }, expect: `400 : ${head}: no` },
    {
      name: 'more',
      given: { status: { code: 422, reason: 'Invalid', message: 'no' } },
      expect: `422 Invalid: ${head}: no`,
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
    t.equal(server.warnings.at(-1), 'careful', 'warnings are returned for refused requests, too');
    webhook.answer = review => answer(review);
    await forget(server, kind, 'c', webhook);
  }
});

t.test('a large answer is parsed in pieces', async t => {
  const { server, webhook } = await start(t);
  await configure(server.client, 'Validating', 'c', hook(webhook));
  await called(webhook, () => create(server));
  const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));
  webhook.answer = review => {
    const reply = answer(review, { allowed: false, status: { message: 'no' } });
    return { ...reply, body: JSON.stringify({ ...(reply.body as object), keys }) };
  };
  const nativeParse = JSON.parse;
  t.teardown(() => (JSON.parse = nativeParse));
  let longest = 0;
  JSON.parse = (text: string) => {
    longest = Math.max(longest, text.length);
    return nativeParse(text) as unknown;
  };
  t.match(await refusal(create(server)), /denied the request: no$/);
  t.ok(longest < 20_000, `at most ${longest} characters are parsed at once`);
});

t.test('calls that fail follow the failurePolicy', async t => {
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
      name: 'a string for a boolean',
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
      name: 'connection refused',
      given: { url: 'https://127.0.0.1:1/a' },
      expect:
        'failed to call webhook: Post "https://127.0.0.1:1/a?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    },
    {
      name: 'an unknown CA',
      given: { url: `${webhook.url}/a` },
      expect: `failed to call webhook: Post "${webhook.url}/a?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    },
    {
      name: 'a certificate for another name',
      given: { url: `${other.url}/a`, caBundle: other.caBundle },
      expect: `failed to call webhook: Post "${other.url}/a?timeout=10s": tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    },
    {
      name: 'an invalid CA bundle',
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

t.test('services are resolved by external name or endpoints', async t => {
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
  t.same(await resolve('default', 'kubernetes', 443), { host: '127.0.0.1', port: 6443 }, 'the API server itself');
});
