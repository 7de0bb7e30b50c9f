/** How interpreter webhooks are reached: certificates, Services, versions, timeouts. */
import t from 'tap';
import { createAuthority } from '../../../../authn/pki/authority.js';
import { services } from '../../../../api/kubernetes/resources.js';
import { startWebhook } from '../../../aggregation/webhooks.js';
import { namespaces, serve } from '../../../registry/serve.js';
import { answered, configuration, game, hookOf, interpreters, reply } from './interpreting.js';

const head = 'Internal error occurred: failed calling webhook "c/w.example.com": ';

t.test('certificates and addresses', async t => {
  const webhook = await startWebhook(t, review => reply(review, { replicas: 1 }));
  const at = `${webhook.url}/interpret`;
  const other = Buffer.from((await createAuthority('other')).certificate).toString('base64');
  const table: readonly [name: string, clientConfig: object, message: string | RegExp][] = [
    ['another CA', { url: at, caBundle: other }, /failed to call webhook: Post .*: tls: failed to verify certificate/],
    ['the roots of the system', { url: at }, /tls: failed to verify certificate/],
    [
      'a CA that is none',
      { url: at, caBundle: 'eA==' },
      `${head}could not get REST client: unable to load root certificates: unable to parse bytes as PEM block`,
    ],
    [
      'another host',
      { url: at.replace('127.0.0.1', 'localhost'), caBundle: webhook.caBundle },
      /tls: failed to verify certificate/,
    ],
    [
      'nobody listens',
      { url: 'https://127.0.0.1:1/x' },
      /failed to call webhook: Post "https:\/\/127.0.0.1:1\/x\?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused$/,
    ],
    ['no address', {}, /webhook configuration must have either service or URL/],
  ];
  for (const [name, clientConfig, message] of table) {
    const interpreter = interpreters(t, [configuration('c', hookOf(webhook, { more: { clientConfig } }))])();
    const error = answered(() => interpreter.replicas(game));
    await t.rejects(error, { name: 'ExpectedError', message }, name);
  }
  t.equal(webhook.calls.length, 0);
});

t.test('versions of ResourceInterpreterContext', async t => {
  const webhook = await startWebhook(t, review => reply(review, { replicas: 1 }));
  const make = (...interpreterContextVersions: string[]) =>
    interpreters(t, [configuration('c', hookOf(webhook, { more: { interpreterContextVersions } }))])();
  const [unknown, known] = [make('v9', 'v1'), make('v9', 'v1alpha1')];
  await t.rejects(
    answered(() => unknown.replicas(game)),
    {
      message: `${head}could not create ResourceInterpreterContext objects: webhook does not accept known ResourceInterpreterContext versions (v1alpha1)`,
    },
  );
  t.equal(webhook.calls.length, 0);
  t.match(await answered(() => known.replicas(game)), { replicas: 1 });
});

t.test('Services', async t => {
  const { client } = await serve(t);
  const namespace = 'hooks';
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const names = ['named.hooks.svc', 'localhost'];
  const webhook = await startWebhook(t, review => reply(review, { replicas: 1 }), names);
  const make = (service: object) => {
    const clientConfig = { service: { namespace, ...service }, caBundle: webhook.caBundle };
    return interpreters(t, [configuration('c', hookOf(webhook, { more: { clientConfig } }))], client)();
  };
  const named = { type: 'ExternalName', externalName: '127.0.0.1' };
  await client.create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'named', namespace },
    spec: named,
  });
  const known = make({ name: 'named', port: webhook.port, path: 'at/here' });
  t.match(await answered(() => known.replicas(game)), { replicas: 1 });
  t.equal(webhook.calls[0]?.path, '/at/here?timeout=5s');

  const ports = [{ port: 443 }];
  const headless = { clusterIP: 'None', clusterIPs: ['None'], ports };
  await client.create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'headless', namespace },
    spec: headless,
  });
  const unrouted = make({ name: 'headless' });
  await t.rejects(
    answered(() => unrouted.replicas(game)),
    {
      message:
        /failed to call webhook: Post "https:\/\/headless.hooks.svc:443\/\?timeout=5s": no endpoints available for service "headless"$/,
    },
  );

  const missing = make({ name: 'missing' });
  await t.rejects(
    answered(() => missing.replicas(game)),
    { message: /failed to call webhook: Post "https:\/\/missing.hooks.svc:443.*dial tcp: lookup missing.hooks.svc/ },
    'an unknown Service is looked up by its DNS name',
  );
});

t.test('timeouts', async t => {
  const webhook = await startWebhook(t, () => ({ silent: true }));
  const interpreter = interpreters(t, [configuration('c', hookOf(webhook, { more: { timeoutSeconds: 1 } }))])();
  const began = performance.now();
  await t.rejects(
    answered(() => interpreter.replicas(game)),
    {
      message: `${head}failed to call webhook: Post "${webhook.url}/interpret?timeout=1s": context deadline exceeded`,
    },
  );
  t.ok(performance.now() - began > 990);

  webhook.answer = review => reply(review, { replicas: 1 });
  const untimed = interpreters(t, [configuration('c', hookOf(webhook, { more: { timeoutSeconds: undefined } }))])();
  await answered(() => untimed.replicas(game));
  t.equal(webhook.calls.at(-1)?.path, '/interpret', 'a webhook without a timeout is not told of one');
});
