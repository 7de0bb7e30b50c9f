/**
 * What the conformance suite of Kubernetes asks of webhooks (inventory CNF-060, CNF-062), of a whole server over HTTPS. The webhooks
 * answer as agnhost's do.
 */
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type Webhook, admissionAnswer, patchAnswer, startWebhook } from '../aggregation/webhooks.js';
import { type Answer, type HttpClient, httpClient } from '../apiserver/http-client.js';
import { runningServer, temporaryFolder } from '../apiserver/running.js';
import { kubectlFor, needsKubectl } from './kubectl.js';

type Plain = Record<string, unknown>;
type Object = Plain & { metadata?: { name?: string; labels?: Plain }; data?: Record<string, string>; spec?: Plain };
interface Review {
  readonly object: Object | null;
  readonly oldObject: Object | null;
  readonly operation: string;
}

const requestOf = (review: Plain): Review => review['request'] as Review;

const offend = 'webhook-e2e-test';
const unwanted = (review: Plain, message: string): ReturnType<typeof admissionAnswer> =>
  admissionAnswer(review, { allowed: false, status: { reason: message } });

const wants = ({ object, oldObject, operation }: Review): boolean =>
  (operation === 'DELETE' ? oldObject : object)?.data?.[offend] === undefined;

/** By the path that they are called under. */
const hooks: Readonly<Record<string, Webhook['answer']>> = {
  '/always-deny': review => unwanted(review, 'this webhook denies all requests'),
  '/configmaps': review =>
    wants(requestOf(review))
      ? admissionAnswer(review)
      : unwanted(review, 'the configmap contains unwanted key and value'),
  '/custom-resource': review =>
    wants(requestOf(review)) ? admissionAnswer(review) : unwanted(review, 'the custom resource contains unwanted data'),
  '/crd': review =>
    requestOf(review).object?.metadata?.labels?.[offend] === 'webhook-disallow'
      ? unwanted(review, 'the crd contains unwanted label')
      : admissionAnswer(review),
  '/pods': review => {
    const image = JSON.stringify(requestOf(review).object?.spec ?? {});
    if (image.includes('webhook-disallow'))
      return unwanted(review, 'the pod contains unwanted container name; the pod response contains unwanted label');
    return admissionAnswer(review);
  },
  '/pods/attach': review => unwanted(review, "attaching to pod 'to-be-attached-pod' is not allowed"),
  '/mutating-pods': review =>
    patchAnswer(review, [
      {
        op: 'add',
        path: '/spec/initContainers',
        value: [{ image: 'webhook-added-image', name: 'webhook-added-init-container', resources: {} }],
      },
    ]),
  '/mutating-configmaps': review => mutateData(review, 'mutation-start', 'mutation-stage-1'),
  '/mutating-configmaps-2': review => mutateData(review, 'mutation-stage-1', 'mutation-stage-2'),
  '/skip-me': review =>
    requestOf(review).object?.metadata?.name === 'skip-me' ? admissionAnswer(review) : unwanted(review, 'not skipped'),
  '/wait': async review => {
    await setTimeout(5000, undefined, { ref: false });
    return admissionAnswer(review);
  },
  '/convert': review => {
    const { uid, desiredAPIVersion, objects } = review['request'] as {
      uid: string;
      desiredAPIVersion: string;
      objects: Object[];
    };
    const convertedObjects = objects.map(({ hostPort, host, port, ...rest }) => {
      const [first, second] = String(hostPort ?? '').split(':');
      const fields = desiredAPIVersion.endsWith('/v2')
        ? { host: first, port: second }
        : { hostPort: `${String(host)}:${String(port)}` };
      return { ...rest, apiVersion: desiredAPIVersion, ...fields };
    });
    const { apiVersion } = review;
    return {
      body: {
        kind: 'ConversionReview',
        apiVersion,
        response: { uid, convertedObjects, result: { status: 'Success' } },
      },
    };
  },
};

function mutateData(review: Plain, seen: string, added: string): ReturnType<typeof admissionAnswer> {
  const { object } = requestOf(review);
  if (object?.data?.[seen] !== 'yes') return admissionAnswer(review);
  return patchAnswer(review, [{ op: 'add', path: `/data/${added}`, value: 'yes' }]);
}

interface Stage {
  readonly ask: HttpClient;
  readonly webhook: Webhook;
  readonly server: Awaited<ReturnType<typeof runningServer>>;
}

async function stage(t: Test): Promise<Stage> {
  const webhook = await startWebhook(
    t,
    (review, path) => hooks[path.replace(/\?.*/, '')]?.(review, path) ?? { status: 404 },
    ['e2e-test-webhook.default.svc'],
  );
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const service = { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port: webhook.port }] };
  await must(
    ask('POST /api/v1/namespaces/default/services', {
      body: { kind: 'Service', apiVersion: 'v1', metadata: { name: 'e2e-test-webhook' }, spec: service },
    }),
  );
  return { ask, webhook, server };
}

async function must(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}

/** Until it is in force. */
async function until(attempt: () => Promise<Answer>, isSo: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await attempt();
    if (isSo(answer)) return answer;
    await setTimeout(5);
  }
}

const registration = '/apis/admissionregistration.k8s.io/v1';

const rule = (group: string, resource: string, operations: string[], version = 'v1') => ({
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
  operations,
});

function hook({ webhook }: Stage, path: string, rules: object[], more: object = {}): object {
  const service = { namespace: 'default', name: 'e2e-test-webhook', path, port: webhook.port };
  return {
    name: `${path.replace(/\W+/g, '-').replace(/^-/, '')}.k8s.io`,
    rules,
    clientConfig: { service, caBundle: webhook.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...more,
  };
}

function configure(
  { ask }: Stage,
  kind: 'validating' | 'mutating',
  name: string,
  webhooks: object[],
  labels = {},
): Promise<Answer> {
  const type = `${kind === 'validating' ? 'Validating' : 'Mutating'}WebhookConfiguration`;
  return must(
    ask(`POST ${registration}/${kind}webhookconfigurations`, {
      body: { apiVersion: 'admissionregistration.k8s.io/v1', kind: type, metadata: { name, labels }, webhooks },
    }),
  );
}

const configMap = (name: string, data: object = {}) => ({
  body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data },
});
const pod = (name: string, container = 'c') => ({
  body: {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name },
    spec: { containers: [{ name: container, image: 'nginx' }] },
  },
});
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

t.test('discovery has the documents of webhooks', async t => {
  const { ask } = await stage(t);
  const groups = (await ask('GET /apis')).json as unknown as {
    groups: { name: string; preferredVersion: Plain; versions: unknown[] }[];
  };
  const group = groups.groups.find(({ name }) => name === 'admissionregistration.k8s.io');
  t.match(group, { preferredVersion: { groupVersion: 'admissionregistration.k8s.io/v1', version: 'v1' } });
  const { resources } = (await ask(`GET ${registration}`)).json as unknown as { resources: { name: string }[] };
  const names = resources.map(({ name }) => name);
  t.ok(names.includes('mutatingwebhookconfigurations') && names.includes('validatingwebhookconfigurations'));
});

t.test('pods and config maps are denied; attaching too', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  await must(ask(`POST ${pods}`, pod('to-be-attached-pod')));
  await must(
    ask('POST /api/v1/namespaces', {
      body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'exempted', labels: { skip: 'yes' } } },
    }),
  );
  const exempted = { namespaceSelector: { matchExpressions: [{ key: 'skip', operator: 'NotIn', values: ['yes'] }] } };
  await configure(scene, 'validating', 'deny', [
    hook(scene, '/pods', [rule('', 'pods', ['CREATE'])], exempted),
    hook(scene, '/configmaps', [rule('', 'configmaps', ['CREATE', 'UPDATE', 'DELETE'])], exempted),
    hook(scene, '/wait', [rule('', 'secrets', ['CREATE'])], { timeoutSeconds: 1, failurePolicy: 'Ignore' }),
    hook(scene, '/pods/attach', [rule('', 'pods/attach', ['CONNECT'])]),
  ]);
  const denied = await until(
    () => ask(`POST ${pods}?dryRun=All`, pod('p', 'webhook-disallow')),
    ({ status }) => status === 400,
  );
  t.match(
    denied.json.message,
    'admission webhook "pods.k8s.io" denied the request: the pod contains unwanted container name',
  );
  t.match((await ask(`POST ${configMaps}`, configMap('disallowed', { [offend]: 'webhook-disallow' }))).json, {
    code: 400,
    message: 'admission webhook "configmaps.k8s.io" denied the request: the configmap contains unwanted key and value',
  });
  await must(ask(`POST ${configMaps}`, configMap('allowed', { admit: 'this' })));
  for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json'])
    t.equal((await ask(`PATCH ${configMaps}/allowed`, { body: { data: { [offend]: 'x' } }, type })).status, 400);
  const { json } = await ask(`GET ${configMaps}/allowed`);
  t.equal((await ask(`PUT ${configMaps}/allowed`, { body: { ...json, data: { [offend]: 'x' } } })).status, 400);
  t.equal(
    (await ask('POST /api/v1/namespaces/exempted/configmaps', configMap('disallowed', { [offend]: 'x' }))).status,
    201,
  );

  const attach = await ask(`POST ${pods}/to-be-attached-pod/attach?container=c&stdin=true`);
  t.equal(attach.status, 400);
  t.match(attach.json.message, "attaching to pod 'to-be-attached-pod' is not allowed");
  t.match(scene.webhook.calls.at(-1)?.body['request'], {
    operation: 'CONNECT',
    subResource: 'attach',
    kind: { group: '', version: 'v1', kind: 'PodAttachOptions' },
    name: 'to-be-attached-pod',
    object: { kind: 'PodAttachOptions', apiVersion: 'v1', stdin: true, stdout: true, stderr: true, container: 'c' },
    oldObject: null,
    options: null,
  });

  const metrics = (await ask('GET /metrics')).text;
  t.match(
    metrics,
    /apiserver_admission_webhook_rejection_count\{name="configmaps\.k8s\.io",type="validating",operation="CREATE",error_type="no_error",rejection_code="400"\} 1/,
  );

  await t.test('kubectl says so', needsKubectl, async t => {
    const { code, err } = await kubectlFor(t, scene.server)(`create configmap k --from-literal=${offend}=x`);
    t.equal(code, 1);
    t.equal(
      err,
      'error: failed to create configmap: admission webhook "configmaps.k8s.io" denied the request: the configmap contains unwanted key and value\n',
    );
  });
});

t.test('a timeout is honoured', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  const slow = (failurePolicy: string, timeoutSeconds: number) => [
    hook(scene, '/wait', [rule('', 'configmaps', ['CREATE'])], { failurePolicy, timeoutSeconds }),
  ];
  await configure(scene, 'validating', 'slow', slow('Fail', 1));
  const failed = await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x')),
    ({ status }) => status !== 201,
  );
  t.equal(failed.status, 500);
  t.match(
    failed.json.message,
    /^Internal error occurred: failed calling webhook "wait\.k8s\.io": failed to call webhook: Post "https:\/\/e2e-test-webhook\.default\.svc:\d+\/wait\?timeout=1s": context deadline exceeded$/,
  );
  const patch = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
  await must(
    ask(`PATCH ${registration}/validatingwebhookconfigurations/slow`, {
      body: patch,
      type: 'application/json-patch+json',
    }),
  );
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x')),
    ({ status }) => status === 201,
  );
});

t.test('who fails closed lets nothing pass', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  await configure(scene, 'validating', 'closed', [
    hook(scene, '/configmaps', [rule('', 'configmaps', ['CREATE'])], {
      clientConfig: {
        service: { namespace: 'default', name: 'no-such-service', path: '/configmaps' },
        caBundle: scene.webhook.caBundle,
      },
      failurePolicy: 'Fail',
    }),
  ]);
  const failed = await until(
    () => ask(`POST ${configMaps}`, configMap('foo')),
    ({ status }) => status !== 201 && status !== 409,
  );
  t.match(failed.json, { code: 500, reason: 'InternalError' });
});

t.test('config maps and pods are changed, in order, and defaults come after', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  await configure(scene, 'mutating', 'changes', [
    hook(scene, '/mutating-configmaps', [rule('', 'configmaps', ['CREATE'])]),
    hook(scene, '/mutating-configmaps-2', [rule('', 'configmaps', ['CREATE'])]),
    hook(scene, '/mutating-pods', [rule('', 'pods', ['CREATE'])]),
  ]);
  const changed = await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x', { 'mutation-start': 'yes' })),
    ({ json }) => Object.keys(json.data).length > 1,
  );
  t.same(changed.json.data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
  const made = (await ask(`POST ${pods}`, pod('webhook-to-be-mutated'))).json as unknown as {
    spec: { initContainers: Plain[] };
  };
  t.match(made.spec.initContainers, [{ name: 'webhook-added-init-container', terminationMessagePolicy: 'File' }]);
});

t.test('configurations themselves cannot be stopped or changed', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  const all = [rule('*', '*', ['*'], '*')];
  const configurations = [rule('admissionregistration.k8s.io', '*', ['*'])];
  await configure(scene, 'validating', 'deny-all', [
    hook(scene, '/always-deny', [...configurations, rule('', 'configmaps', ['CREATE'])]),
  ]);
  await configure(scene, 'mutating', 'deny-too', [
    hook(scene, '/always-deny', all, { objectSelector: { matchLabels: { never: 'there' } } }),
    hook(scene, '/always-deny', configurations, { name: 'b.k8s.io' }),
  ]);
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x')),
    ({ status }) => status === 400,
  );
  const dummy = [hook(scene, '/none', [rule('', 'invalid', ['CREATE'])], { name: 'dummy.k8s.io' })];
  for (const kind of ['validating', 'mutating'] as const) {
    t.equal((await configure(scene, kind, 'dummy', dummy)).status, 201);
    t.equal((await ask(`DELETE ${registration}/${kind}webhookconfigurations/dummy`)).status, 200);
  }
});

t.test('configurations are listed, patched, updated and deleted together', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  for (const kind of ['validating', 'mutating'] as const) {
    const path = `${registration}/${kind}webhookconfigurations`;
    const which = kind === 'validating' ? '/configmaps' : '/mutating-configmaps';
    const body = kind === 'validating' ? { [offend]: 'x' } : { 'mutation-start': 'yes' };
    const attempt = () => ask(`POST ${configMaps}?dryRun=All`, configMap('x', body));
    const works = ({ status, json }: Answer): boolean => status === 400 || Object.keys(json.data).length > 1;
    for (const name of ['a', 'b'])
      await configure(
        scene,
        kind,
        name,
        [hook(scene, which, [rule('', 'configmaps', ['CREATE'])], { name: `${name}.k8s.io` })],
        { e2e: 'yes' },
      );
    await until(attempt, works);
    t.equal((await ask(`GET ${path}?labelSelector=e2e=yes`)).json.items.length, 2);
    t.equal((await ask(`DELETE ${path}?labelSelector=e2e=yes`)).status, 200);
    await until(attempt, answer => !works(answer));

    await configure(scene, kind, 'c', [hook(scene, which, [rule('', 'configmaps', ['CREATE'])])]);
    await until(attempt, works);
    const { json } = await ask(`GET ${path}/c`);
    const [first] = (json as unknown as { webhooks: Plain[] }).webhooks;
    await must(
      ask(`PUT ${path}/c`, {
        body: { ...json, webhooks: [{ ...first, rules: [rule('', 'configmaps', ['UPDATE'])] }] },
      }),
    );
    await until(attempt, answer => !works(answer));
    const patch = [{ op: 'replace', path: '/webhooks/0/rules/0/operations', value: ['CREATE'] }];
    await must(ask(`PATCH ${path}/c`, { body: patch, type: 'application/json-patch+json' }));
    await until(attempt, works);
    await must(ask(`DELETE ${path}/c`));
    await until(attempt, answer => !works(answer));
  }
});

t.test('match conditions: kept, refused when they are wrong, and everything but skip-me', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  const conditions = [{ name: 'expression-1', expression: 'object.metadata.namespace == "production"' }];
  for (const kind of ['validating', 'mutating'] as const) {
    const path = `${registration}/${kind}webhookconfigurations`;
    const of = (matchConditions: object[]) => [
      hook(scene, '/skip-me', [rule('', 'configmaps', ['CREATE'])], { matchConditions }),
    ];
    await configure(scene, kind, 'conditions', of(conditions));
    const { json } = await ask(`GET ${path}/conditions`);
    t.match(json, { webhooks: [{ matchConditions: conditions }] });
    const patch = [{ op: 'replace', path: '/webhooks/0/matchConditions', value: [] }];
    t.equal((await ask(`PATCH ${path}/conditions`, { body: patch, type: 'application/json-patch+json' })).status, 200);
    await must(ask(`DELETE ${path}/conditions`));
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind === 'validating' ? 'Validating' : 'Mutating'}WebhookConfiguration`,
      metadata: { name: 'wrong' },
      webhooks: of([{ name: 'invalid-expression-1', expression: '... [] bad expression' }]),
    };
    const refused = await ask(`POST ${path}`, { body });
    t.equal(refused.status, 422);
    t.match(refused.json.message, 'compilation failed');
    t.match(refused.json.message, 'webhooks[0].matchConditions[0].expression');
  }
  const notSkipped = { matchConditions: [{ name: 'skip-me', expression: "object.metadata.name != 'skip-me'" }] };
  await configure(scene, 'mutating', 'skips', [
    hook(scene, '/always-deny', [rule('', 'configmaps', ['CREATE'])], notSkipped),
  ]);
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('other')),
    ({ status }) => status === 400,
  );
  t.equal((await ask(`POST ${configMaps}?dryRun=All`, configMap('skip-me'))).status, 201);
});

const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const dataOnly = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      data: {
        type: 'object',
        properties: { 'mutation-start': { type: 'string' }, 'mutation-stage-1': { type: 'string' } },
      },
    },
  },
};

interface Definition {
  readonly schema?: object;
  readonly stored?: string;
  readonly labels?: object;
  readonly conversion?: object;
}

function definition(
  kind: string,
  { schema = anything, stored = 'v1', labels = {}, conversion }: Definition = {},
): object {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.stable.example.com`, labels },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: ['v1', 'v2'].map(name => ({ name, served: true, storage: name === stored, schema })),
      ...(conversion && { conversion }),
    },
  };
}

const customPath = (kind: string, version = 'v1'): string =>
  `/apis/stable.example.com/${version}/namespaces/default/${kind.toLowerCase()}s`;

const custom = (kind: string, name: string, more: object, version = 'v1') => ({
  body: { apiVersion: `stable.example.com/${version}`, kind, metadata: { name }, ...more },
});

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function define({ ask }: Stage, kind: string, more?: Definition): Promise<void> {
  await must(ask(`POST ${definitions}`, { body: definition(kind, more) }));
  await until(
    () => ask(`GET ${customPath(kind)}`),
    ({ status }) => status === 200,
  );
}

t.test('custom resources and definitions are denied', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  await define(scene, 'Thing');
  await configure(scene, 'validating', 'deny', [
    hook(scene, '/custom-resource', [rule('stable.example.com', 'things', ['CREATE', 'UPDATE', 'DELETE'])]),
    hook(scene, '/crd', [rule('apiextensions.k8s.io', 'customresourcedefinitions', ['CREATE'], '*')]),
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
  const crd = await ask(`POST ${definitions}`, {
    body: definition('Other', { labels: { [offend]: 'webhook-disallow' } }),
  });
  t.match(crd.json, {
    code: 400,
    message: 'admission webhook "crd.k8s.io" denied the request: the crd contains unwanted label',
  });
});

t.test('custom resources are changed: kept, pruned, and in whatever version they are stored', async t => {
  const scene = await stage(t);
  const { ask } = scene;
  await define(scene, 'Whole');
  await define(scene, 'Pruned', { schema: dataOnly });
  await define(scene, 'Moved', { stored: 'v1' });
  const rules = ['wholes', 'pruneds', 'moveds'].map(resource =>
    rule('stable.example.com', resource, ['CREATE', 'UPDATE']),
  );
  await configure(scene, 'mutating', 'changes', [
    hook(scene, '/mutating-configmaps', rules, { name: 'a.k8s.io' }),
    hook(scene, '/mutating-configmaps-2', rules, { name: 'b.k8s.io' }),
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
  const { json } = await ask(`GET ${definitions}/moveds.stable.example.com`);
  const { spec } = definition('Moved', { stored: 'v2' }) as { spec: Plain };
  await must(ask(`PUT ${definitions}/moveds.stable.example.com`, { body: { ...json, spec } }));
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

t.test('custom resources are converted: one, and a list of several versions (CNF-060)', async t => {
  const scene = await stage(t);
  const { ask, webhook } = scene;
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
  await define(scene, 'Endpoint', { conversion });
  const [one, two] = [customPath('Endpoint'), customPath('Endpoint', 'v2')];
  await must(ask(`POST ${one}`, custom('Endpoint', 'a', { hostPort: 'localhost:8080' })));
  const { json } = await ask(`GET ${two}/a`);
  t.match(json, { apiVersion: 'stable.example.com/v2', host: 'localhost', port: '8080' });
  t.notOk('hostPort' in json);
  const crd = (await ask(`GET ${definitions}/endpoints.stable.example.com`)).json;
  const { spec } = definition('Endpoint', { stored: 'v2', conversion }) as { spec: Plain };
  await must(ask(`PUT ${definitions}/endpoints.stable.example.com`, { body: { ...crd, spec } }));
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

t.test('a webhook that answers nobody does not keep the server from starting', async t => {
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
