/**
 * Webhooks of custom resources, as the conformance suite of Kubernetes tests them. as test/e2e/apimachinery crd_conversion_webhook.go,
 * webhook.go
 */
import path from 'node:path';
import t from 'tap';
import { type Answer, httpClient } from '../../apiserver/http-client.js';
import { runningServer, temporaryFolder } from '../../apiserver/running.js';
import { anything, customKind, definitionsPath, object, text, version } from '../../custom-kinds.js';
import { type Plain, type Stage, configMap, configMaps, must, offend, stage, until } from '../agnhost.js';
import { configure, hook, registration, rule } from '../webhook-configuration.js';

const dataOnly = object({ data: object({ 'mutation-start': text, 'mutation-stage-1': text }) });

interface Definition {
  readonly schema?: object;
  readonly stored?: string;
  readonly labels?: Record<string, string>;
  readonly conversion?: object;
}

const group = 'stable.example.com';

function definition(kind: string, { schema = anything, stored = 'v1', ...more }: Definition = {}): object {
  const versions = ['v1', 'v2'].map(name => version(name, schema, { storage: name === stored }));
  return customKind(kind, versions, { group, ...more });
}

const customPath = (kind: string, version = 'v1'): string =>
  `/apis/stable.example.com/${version}/namespaces/default/${kind.toLowerCase()}s`;

const custom = (kind: string, name: string, more: object, version = 'v1') => ({
  body: { apiVersion: `stable.example.com/${version}`, kind, metadata: { name }, ...more },
});

async function define({ ask }: Stage, kind: string, more?: Definition): Promise<void> {
  await must(ask(`POST ${definitionsPath}`, { body: definition(kind, more) }));
  await until(
    () => ask(`GET ${customPath(kind)}`),
    ({ status }) => status === 200,
  );
}

t.test('custom resources and definitions are denied', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  await define(fixture, 'Thing');
  await configure(fixture, 'validating', 'deny', [
    hook(fixture, '/custom-resource', [rule('stable.example.com', 'things', ['CREATE', 'UPDATE', 'DELETE'])]),
    hook(fixture, '/crd', [rule('apiextensions.k8s.io', 'customresourcedefinitions', ['CREATE'], '*')]),
  ]);
  const path = customPath('Thing');
  const denied = await until(
    () => ask(`POST ${path}?dryRun=All`, custom('Thing', 'no', { data: { [offend]: 'x' } })),
    ({ status }) => status === 400,
  );
  t.match(denied.json.message, 'the custom resource contains unwanted data');
  await must(ask(`POST ${path}`, custom('Thing', 'yes', { data: { a: 'b' } })));
  const type = 'application/merge-patch+json';
  t.equal((await ask(`PATCH ${path}/yes`, { body: { data: { [offend]: 'x' } }, type })).status, 400);
  t.equal((await ask(`DELETE ${path}/yes`)).status, 200);
  const crd = await ask(`POST ${definitionsPath}`, {
    body: definition('Other', { labels: { [offend]: 'webhook-disallow' } }),
  });
  t.match(crd.json, {
    code: 400,
    message: 'admission webhook "crd.k8s.io" denied the request: the crd contains unwanted label',
  });
});

t.test('custom resources are mutated: with kept and pruned fields, and in each storage version', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  await define(fixture, 'Whole');
  await define(fixture, 'Pruned', { schema: dataOnly });
  await define(fixture, 'Moved', { stored: 'v1' });
  const rules = ['wholes', 'pruneds', 'moveds'].map(resource =>
    rule('stable.example.com', resource, ['CREATE', 'UPDATE']),
  );
  await configure(fixture, 'mutating', 'changes', [
    hook(fixture, '/mutating-configmaps', rules, { name: 'a.k8s.io' }),
    hook(fixture, '/mutating-configmaps-2', rules, { name: 'b.k8s.io' }),
  ]);
  const data = { 'mutation-start': 'yes' };
  const make = (kind: string) => () => ask(`POST ${customPath(kind)}?dryRun=All`, custom(kind, 'x', { data }));
  const isChanged = ({ json }: Answer): boolean => Object.keys(json.data).length > 1;
  t.same((await until(make('Whole'), isChanged)).json.data, {
    ...data,
    'mutation-stage-1': 'yes',
    'mutation-stage-2': 'yes',
  });
  t.same((await until(make('Pruned'), isChanged)).json.data, { ...data, 'mutation-stage-1': 'yes' });

  await must(ask(`POST ${customPath('Moved')}`, custom('Moved', 'x', { data: { a: 'b' } })));
  const { json } = await ask(`GET ${definitionsPath}/moveds.stable.example.com`);
  const { spec } = definition('Moved', { stored: 'v2' }) as { spec: Plain };
  await must(ask(`PUT ${definitionsPath}/moveds.stable.example.com`, { body: { ...json, spec } }));
  const type = 'application/merge-patch+json';
  const patched = await until(
    () => ask(`PATCH ${customPath('Moved')}/x`, { body: { data }, type }),
    ({ status }) => status === 200,
  );
  t.same(patched.json.data, { a: 'b', ...data, 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
  t.match((await ask(`GET ${customPath('Moved', 'v2')}/x`)).json, {
    apiVersion: 'stable.example.com/v2',
    data: { a: 'b', ...data },
  });
});

t.test('custom resources are converted: one object, and a list of several versions', async t => {
  const fixture = await stage(t);
  const { ask, webhook } = fixture;
  const conversion = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: {
        service: { namespace: 'default', name: 'e2e-test-webhook', path: '/convert', port: webhook.port },
        caBundle: webhook.caBundle,
      },
      conversionReviewVersions: ['v1', 'v1beta1'],
    },
  };
  await define(fixture, 'Endpoint', { conversion });
  const [one, two] = [customPath('Endpoint'), customPath('Endpoint', 'v2')];
  await must(ask(`POST ${one}`, custom('Endpoint', 'a', { hostPort: 'localhost:8080' })));
  const { json } = await ask(`GET ${two}/a`);
  t.match(json, { apiVersion: 'stable.example.com/v2', host: 'localhost', port: '8080' });
  t.notOk('hostPort' in json);
  const crd = (await ask(`GET ${definitionsPath}/endpoints.stable.example.com`)).json;
  const { spec } = definition('Endpoint', { stored: 'v2', conversion }) as { spec: Plain };
  await must(ask(`PUT ${definitionsPath}/endpoints.stable.example.com`, { body: { ...crd, spec } }));
  await until(
    () => ask(`POST ${one}`, custom('Endpoint', 'b', { hostPort: 'elsewhere:80' })),
    ({ status }) => status === 201,
  );
  t.match((await ask(`GET ${one}`)).json.items, [
    { apiVersion: 'stable.example.com/v1', hostPort: 'localhost:8080' },
    { apiVersion: 'stable.example.com/v1', hostPort: 'elsewhere:80' },
  ]);
  t.match((await ask(`GET ${two}`)).json.items, [
    { apiVersion: 'stable.example.com/v2', host: 'localhost', port: '8080' },
    { apiVersion: 'stable.example.com/v2', host: 'elsewhere', port: '80' },
  ]);
  const type = 'application/apply-patch+yaml';
  const applied = { apiVersion: 'stable.example.com/v2', kind: 'Endpoint', metadata: { name: 'a' }, port: '1' };
  t.match((await ask(`PATCH ${two}/a?fieldManager=me&force=true`, { body: applied, type })).json, {
    host: 'localhost',
    port: '1',
  });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  t.equal((await ask(`GET ${two}`, { accept })).json.rows.length, 2);
});

t.test('a conversion webhook that does not answer does not block the start of the server', async t => {
  const directory = await temporaryFolder(t);
  const config = {
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
  } as const;
  const first = await runningServer(t, config);
  const dead = {
    name: 'dead.k8s.io',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [rule('*', '*/*', ['*'], '*')],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const configurations = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    resource: 'validatingwebhookconfigurations',
  };
  const type = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
  await first.client.create(configurations, { ...type, metadata: { name: 'dead' }, webhooks: [dead] });
  await first.stop();
  const second = await runningServer(t, config);
  const ask = httpClient(t, second);
  t.equal((await ask(`POST ${configMaps}`, configMap('x'))).status, 500);
  t.equal((await ask(`DELETE ${registration}/validatingwebhookconfigurations/dead`)).status, 200);
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x')),
    ({ status }) => status === 201,
  );
});
