import t, { type Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { webhookCaller } from '../../../aggregation/webhooks/caller.js';
import { webhookConversion } from '../../../registry/dynamic/conversion/webhook-conversion.js';
import { type Served, refusal, serve } from '../serve.js';
import { type Reply, type Webhook, startWebhook } from '../../aggregation/webhooks.js';
import { crds, define, definition, until, version, widget, widgets } from './definitions.js';

const in1 = widgets;
const in2: GroupVersionResource = { ...widgets, version: 'v2' };
const a = { namespace: 'default', name: 'a' };

type Plain = Record<string, unknown>;
interface Request {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** v1 has `hostPort`, v2 has `host` and `port`. */
function converted(object: KubeObject, desired: string): KubeObject {
  const { hostPort = '', host = '', port = '', ...rest } = object as KubeObject & Record<string, string>;
  const [first = '', second = ''] = hostPort.split(':');
  const fields = desired.endsWith('/v2') ? { host: first, port: second } : { hostPort: `${host}:${port}` };
  return { ...(rest as KubeObject), apiVersion: desired, ...fields };
}

const answerOf = (review: Plain, response: Plain): Reply => ({
  body: { apiVersion: review['apiVersion'], kind: 'ConversionReview', response },
});

function convert(review: Plain, change: (object: KubeObject) => KubeObject = object => object): Reply {
  const { uid, desiredAPIVersion, objects } = review['request'] as Request;
  const convertedObjects = objects.map(object => change(converted(object, desiredAPIVersion)));
  return answerOf(review, { uid, convertedObjects, result: { status: 'Success' } });
}

const text = { type: 'string' };
const schema = (...fields: string[]) => ({
  openAPIV3Schema: { type: 'object', properties: Object.fromEntries(fields.map(field => [field, { ...text }])) },
});

const schema1 = schema('hostPort', 'zone');
const schema2 = schema('host', 'port', 'zone');
Object.assign(schema2.openAPIV3Schema.properties['host'] ?? {}, { maxLength: 9 });
Object.assign(schema1.openAPIV3Schema.properties['zone'] ?? {}, { default: 'north' });

const byField = (...fields: string[]) => ({ selectableFields: fields.map(field => ({ jsonPath: `.${field}` })) });

const withWebhook = (webhook: Webhook, storage: string, reviews = ['v1']): KubeObject =>
  definition({
    versions: [
      version('v1', { schema: schema1, storage: storage === 'v1', ...byField('hostPort') }),
      version('v2', { schema: schema2, storage: storage === 'v2', ...byField('host', 'port') }),
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: `${webhook.url}/convert`, caBundle: webhook.caBundle },
        conversionReviewVersions: reviews,
      },
    },
  });

async function start(t: Test, reviews?: string[]): Promise<Served & { readonly webhook: Webhook }> {
  const webhook = await startWebhook(t, review => convert(review));
  const caller = webhookCaller({ resolve: () => Promise.reject(new Error('no services')) });
  t.teardown(() => caller.close());
  const served = await serve(t, { convert: crd => webhookConversion(crd, caller.call) });
  await define(served.client, withWebhook(webhook, 'v1', reviews));
  return { ...served, webhook };
}

t.test('objects are read and written in either version', async t => {
  const { client, webhook } = await start(t);
  const made = await client.create(in1, widget('a', { hostPort: 'localhost:80' }));
  t.equal(webhook.calls.length, 0, 'the stored version needs no conversion');
  const seen = await client.get(in2, a);
  t.match(seen, { apiVersion: 'example.com/v2', host: 'localhost', port: '80' });
  t.notOk('hostPort' in seen, 'pruned by the schema of the version');
  t.equal(seen.metadata.uid, made.metadata.uid);
  t.match(webhook.calls[0]?.body, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: {
      desiredAPIVersion: 'example.com/v2',
      objects: [{ apiVersion: 'example.com/v1', hostPort: 'localhost:80' }],
    },
  });
  t.equal(webhook.calls[0]?.path, '/convert');

  const other = await client.create(in2, widget('b', { host: 'h', port: '1' }, 'example.com/v2'));
  t.match(other, { apiVersion: 'example.com/v2', host: 'h', port: '1' });
  t.match(await client.get(in1, { ...a, name: 'b' }), { apiVersion: 'example.com/v1', hostPort: 'h:1' });
  const merged = await client.patch(in2, a, { type: 'merge', patch: { port: '81' } });
  t.match(merged, { host: 'localhost', port: '81' });
  t.match(await client.get(in1, a), { hostPort: 'localhost:81' });
  const updated = await client.update(in2, { ...merged, host: 'elsewhere' });
  t.match(updated, { host: 'elsewhere', port: '81' });
  const applied = await client.patch(
    in2,
    a,
    {
      type: 'apply',
      patch: { apiVersion: 'example.com/v2', kind: 'Widget', metadata: { name: 'a' }, port: '9' },
      force: true,
    },
    { fieldManager: 'me' },
  );
  t.match(applied, { host: 'elsewhere', port: '9' });
  t.match(await client.get(in1, a), { hostPort: 'elsewhere:9' });
  await client.delete(in2, a);
  t.equal(await refusal(client.get(in1, a)), '404 NotFound: widgets.example.com "a" not found');
});

t.test('a list needs one conversion review, and watchers share one', async t => {
  const { client, webhook } = await start(t);
  for (const name of ['a', 'b', 'c']) await client.create(in1, widget(name, { hostPort: `${name}:80` }));
  const stop = new AbortController();
  const { items, metadata } = await client.list(in2);
  t.same(
    items.map(({ apiVersion, host }) => [apiVersion, host]),
    ['a', 'b', 'c'].map(host => ['example.com/v2', host]),
  );
  t.equal(webhook.calls.length, 1);
  await client.list(in2);
  t.equal(webhook.calls.length, 1, 'a stored object is converted once');
  const { resourceVersion = '' } = metadata;
  const watches = [1, 2].map(() => client.watch(in2, { resourceVersion }, stop.signal)[Symbol.asyncIterator]());
  const next = watches.map(async watch => watch.next());
  await client.create(in1, widget('d', { hostPort: 'd:80' }));
  for (const { value } of await Promise.all(next)) t.match(value, { type: 'ADDED', object: { host: 'd', port: '80' } });
  t.equal(webhook.calls.length, 2);
  stop.abort();
});

t.test('concurrent requests have one review each', async t => {
  const { client, webhook } = await start(t);
  for (const name of ['a', 'b', 'c', 'd']) await client.create(in1, widget(name, { hostPort: `${name}:80` }));
  const get = (name: string): Promise<KubeObject> => client.get(in2, { ...a, name });
  await Promise.all([get('a'), get('b'), client.list(in2, { labelSelector: '!none' })]);
  const asked = webhook.calls.map(({ body }) => (body['request'] as Request).objects.map(each => each.metadata.name));
  t.same(asked.map(names => names.join()).sort(), ['a', 'b', 'c,d'], 'a running conversion is shared');
});

t.test('objects are validated, owned and admitted in the version of the request', async t => {
  const { client, webhook } = await start(t);
  const long = widget('a', { host: 'far.too.long', port: '1' }, 'example.com/v2');
  t.match(await refusal(client.create(in2, long)), 'host: Too long: may not be more than 9 bytes');
  t.equal(webhook.calls.length, 0, 'an invalid object is not converted');
  const made = await client.create(in2, { ...long, host: 'h' });
  t.same(
    made.metadata.managedFields?.map(({ apiVersion, fieldsV1 }) => [apiVersion, Object.keys(fieldsV1 ?? {})]),
    [['example.com/v2', ['f:host', 'f:port']]],
  );
  t.equal(made['zone'], 'north', 'defaults of the storage version are converted, too');
  t.match(await client.get(in1, a), { hostPort: 'h:1', zone: 'north' });
});

t.test('field selectors apply to the requested version', async t => {
  const { client } = await start(t);
  for (const [name, hostPort] of [
    ['a', 'h1:80'],
    ['b', 'h1:443'],
    ['c', 'h2:80'],
  ] as const)
    await client.create(in1, widget(name, { hostPort }));
  const names = async (resource: GroupVersionResource, fieldSelector: string): Promise<unknown[]> =>
    (await client.list(resource, { fieldSelector })).items.map(({ metadata }) => metadata.name);
  t.same(await names(in2, 'host=h1'), ['a', 'b']);
  t.same(await names(in2, 'host=h1,port=443'), ['b']);
  t.same(await names(in1, 'hostPort=h2:80'), ['c']);
  const stop = new AbortController();
  const watch = client.watch(
    in2,
    { fieldSelector: 'host=h2', sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    stop.signal,
  );
  const seen: string[] = [];
  for await (const { type, object } of watch) {
    seen.push(`${type} ${object.metadata.name} ${String(object['host'])}`);
    if (seen.length === 1) await client.patch(in2, a, { type: 'merge', patch: { host: 'h2' } });
    if (seen.length === 2) await client.patch(in1, a, { type: 'merge', patch: { hostPort: 'h3:80' } });
    if (seen.length === 3) break;
  }
  stop.abort();
  t.same(seen, ['ADDED c h2', 'ADDED a h2', 'DELETED a h2']);
});

t.test('an object in another stored version is served in all versions, and migrated by its next write', async t => {
  const { client, webhook } = await start(t);
  await client.create(in1, widget('a', { hostPort: 'old:80' }));
  const crd = await client.get(crds, { name: 'widgets.example.com' });
  const { spec } = withWebhook(webhook, 'v2');
  await client.update(crds, { ...crd, spec });
  await until(
    client,
    ({ object }) => ((object.status as { storedVersions?: string[] }).storedVersions ?? []).length === 2,
  );
  /** From here on, v2 is not converted any more. */
  const isRenewed = async (): Promise<void> => {
    for (;;) {
      const before = webhook.calls.length;
      await client.create(in2, widget('b', { host: 'new', port: '1' }, 'example.com/v2'), { dryRun: true });
      if (webhook.calls.length === before) return;
    }
  };
  await isRenewed();
  await client.create(in2, widget('b', { host: 'new', port: '1' }, 'example.com/v2'));
  const hosts = async () => (await client.list(in2)).items.map(({ apiVersion, host }) => [apiVersion, host]);
  t.same(await hosts(), [
    ['example.com/v2', 'old'],
    ['example.com/v2', 'new'],
  ]);
  t.same(
    (await client.list(in1)).items.map(({ apiVersion, hostPort }) => [apiVersion, hostPort]),
    [
      ['example.com/v1', 'old:80'],
      ['example.com/v1', 'new:1'],
    ],
    'a list of objects that are stored in several versions',
  );
  const calls = webhook.calls.length;
  const next = await client.patch(in2, a, { type: 'merge', patch: { metadata: { labels: { x: 'y' } } } });
  t.match(next, { host: 'old', port: '80', metadata: { labels: { x: 'y' } } });
  const after = webhook.calls.length;
  t.ok(after >= calls);
  t.match(await client.get(in2, a), { host: 'old' });
  t.equal(webhook.calls.length, after, 'it is stored in the requested version');
});

t.test('answers of conversion webhooks are validated', async t => {
  const { client, webhook } = await start(t);
  await client.create(
    in1,
    widget('a', { hostPort: 'h:1', metadata: { name: 'a', namespace: 'default', labels: { l: '1' } } }),
  );
  const head = '500 : conversion webhook for example.com/v1, Kind=Widget';
  const uidOf = (review: Plain): string => (review['request'] as Request).uid;
  const cases: { name: string; given: Webhook['answer']; expect: string }[] = [
    {
      name: 'no JSON',
      given: () => ({ body: 'hello' }),
      expect: `${head} failed: couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value`,
    },
    {
      name: 'an error',
      given: () => ({ status: 500, body: 'broken' }),
      expect: `${head} failed: an error on the server ("broken") has prevented the request from succeeding`,
    },
    {
      name: 'another kind',
      given: () => ({ body: {} }),
      expect: `${head} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    },
    {
      name: 'a failure',
      given: review => answerOf(review, { uid: uidOf(review), result: { status: 'Failure', message: 'not today' } }),
      expect: `${head} failed: not today`,
    },
    {
      name: 'no status',
      given: review => answerOf(review, { uid: uidOf(review) }),
      expect: `${head} failed: response.result.status was '', not 'Success'`,
    },
    {
      name: 'no object',
      given: review => answerOf(review, { uid: uidOf(review), convertedObjects: [], result: { status: 'Success' } }),
      expect: `${head} returned 0 objects, expected 1`,
    },
    {
      name: 'another name',
      given: review => convert(review, object => ({ ...object, metadata: { ...object.metadata, name: 'b' } })),
      expect: `${head} returned invalid object: must have the same name: a != b`,
    },
    {
      name: 'another uid',
      given: review => convert(review, object => ({ ...object, metadata: { ...object.metadata, uid: '' } })),
      expect: `${head} returned invalid object: must have the same UID: UID != `,
    },
    {
      name: 'another version',
      given: review => convert(review, object => ({ ...object, apiVersion: 'example.com/v3' })),
      expect: `${head} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)`,
    },
    {
      name: 'bad labels',
      given: review => convert(review, object => ({ ...object, metadata: { ...object.metadata, labels: { l: '-' } } })),
      expect: `${head} returned invalid metadata: metadata.labels: Invalid value: "-": `,
    },
  ];
  for (const { name, given, expect } of cases) {
    webhook.answer = given;
    const said = (await refusal(client.get(in2, a))).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UID');
    t.equal(said.slice(0, expect.length), expect, name);
  }
  webhook.answer = review =>
    convert(review, object => ({
      ...object,
      metadata: { ...object.metadata, labels: { mine: 'yes' }, generation: 99, finalizers: ['x/y'] },
    }));
  const seen = await client.get(in2, a);
  t.same(seen.metadata.labels, { mine: 'yes' });
  t.equal(seen.metadata.generation, 1, 'no other metadata changes');
  t.notOk(seen.metadata.finalizers);
});

t.test('v1beta1 conversion reviews are supported', async t => {
  const { client, webhook } = await start(t, ['v0', 'v1beta1', 'v1']);
  await client.create(in1, widget('a', { hostPort: 'h:1' }));
  webhook.answer = review => {
    const answer = convert(review).body as { response: Plain };
    return { body: { response: { ...answer.response, uid: 'anything' } } };
  };
  t.match(await client.get(in2, a), { host: 'h' });
  t.equal(webhook.calls[0]?.body['apiVersion'], 'apiextensions.k8s.io/v1beta1');
});

t.test('a conversion webhook that does not answer fails the request', async t => {
  const { client, webhook } = await start(t);
  await client.create(in1, widget('a', { hostPort: 'h:1' }));
  const crd = await client.get(crds, { name: 'widgets.example.com' });
  const { spec } = withWebhook({ ...webhook, url: 'https://127.0.0.1:1' }, 'v1');
  await client.update(crds, { ...crd, spec });
  const said = async (): Promise<string> => {
    for (;;) {
      const text = await refusal(client.list(in2));
      if (text !== 'allowed') return text;
    }
  };
  t.equal(
    await said(),
    '500 : conversion webhook for example.com/v1, Kind=Widget failed: Post "https://127.0.0.1:1/convert": dial tcp 127.0.0.1:1: connect: connection refused',
  );
  t.match(await client.list(in1), { items: [{ hostPort: 'h:1' }] }, 'the stored version needs no webhook');
});

t.test('an object of more values than a client may write is refused', async t => {
  const { client, webhook } = await start(t);
  await client.create(in1, widget('a', { hostPort: 'localhost:80' }));
  webhook.answer = review =>
    convert(review, object => ({
      ...object,
      more: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [i, i])),
    }));
  t.equal(
    await refusal(client.get(in2, a)),
    '500 : conversion webhook for example.com/v1, Kind=Widget returned invalid object: it consists of more than 50000 JSON values',
  );
});
