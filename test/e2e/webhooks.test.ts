/** Webhooks of a whole server over HTTPS, as tested by the conformance suite of Kubernetes. as test/e2e/apimachinery/webhook.go */
import t from 'tap';
import { type Answer } from '../apiserver/http-client.js';
import { kubectlFor, needsKubectl } from './kubectl.js';
import { type Plain, configMap, configMaps, must, offend, pod, pods, stage, until } from './agnhost.js';
import { configure, hook, registration, rule } from './webhook-configuration.js';

t.test('discovery lists webhook configurations', async t => {
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

t.test('pods, config maps and attaching are denied', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  await must(ask(`POST ${pods}`, pod('to-be-attached-pod')));
  await must(
    ask('POST /api/v1/namespaces', {
      body: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'exempted', labels: { skip: 'yes' } } },
    }),
  );
  const exempted = { namespaceSelector: { matchExpressions: [{ key: 'skip', operator: 'NotIn', values: ['yes'] }] } };
  await configure(fixture, 'validating', 'deny', [
    hook(fixture, '/pods', [rule('', 'pods', ['CREATE'])], exempted),
    hook(fixture, '/configmaps', [rule('', 'configmaps', ['CREATE', 'UPDATE', 'DELETE'])], exempted),
    hook(fixture, '/wait', [rule('', 'secrets', ['CREATE'])], { timeoutSeconds: 1, failurePolicy: 'Ignore' }),
    hook(fixture, '/pods/attach', [rule('', 'pods/attach', ['CONNECT'])]),
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
  t.match(fixture.webhook.calls.at(-1)?.body['request'], {
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

  await t.test('kubectl prints the denial', needsKubectl, async t => {
    const { code, err } = await kubectlFor(t, fixture.server)(`create configmap k --from-literal=${offend}=x`);
    t.equal(code, 1);
    t.equal(
      err,
      'error: failed to create configmap: admission webhook "configmaps.k8s.io" denied the request: the configmap contains unwanted key and value\n',
    );
  });
});

t.test('a timeout is honoured', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  const slow = (failurePolicy: string, timeoutSeconds: number) => [
    hook(fixture, '/wait', [rule('', 'configmaps', ['CREATE'])], { failurePolicy, timeoutSeconds }),
  ];
  await configure(fixture, 'validating', 'slow', slow('Fail', 1));
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

t.test('the failure policy Fail refuses requests', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  await configure(fixture, 'validating', 'closed', [
    hook(fixture, '/configmaps', [rule('', 'configmaps', ['CREATE'])], {
      clientConfig: {
        service: { namespace: 'default', name: 'no-such-service', path: '/configmaps' },
        caBundle: fixture.webhook.caBundle,
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

t.test('config maps and pods are mutated in order, before defaults', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  await configure(fixture, 'mutating', 'changes', [
    hook(fixture, '/mutating-configmaps', [rule('', 'configmaps', ['CREATE'])]),
    hook(fixture, '/mutating-configmaps-2', [rule('', 'configmaps', ['CREATE'])]),
    hook(fixture, '/mutating-pods', [rule('', 'pods', ['CREATE'])]),
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

t.test('webhooks are not called for webhook configurations', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  const all = [rule('*', '*', ['*'], '*')];
  const configurations = [rule('admissionregistration.k8s.io', '*', ['*'])];
  await configure(fixture, 'validating', 'deny-all', [
    hook(fixture, '/always-deny', [...configurations, rule('', 'configmaps', ['CREATE'])]),
  ]);
  await configure(fixture, 'mutating', 'deny-too', [
    hook(fixture, '/always-deny', all, { objectSelector: { matchLabels: { never: 'there' } } }),
    hook(fixture, '/always-deny', configurations, { name: 'b.k8s.io' }),
  ]);
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('x')),
    ({ status }) => status === 400,
  );
  const dummy = [hook(fixture, '/none', [rule('', 'invalid', ['CREATE'])], { name: 'dummy.k8s.io' })];
  for (const kind of ['validating', 'mutating'] as const) {
    t.equal((await configure(fixture, kind, 'dummy', dummy)).status, 201);
    t.equal((await ask(`DELETE ${registration}/${kind}webhookconfigurations/dummy`)).status, 200);
  }
});

t.test('configurations are listed, patched, updated and deleted together', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  for (const kind of ['validating', 'mutating'] as const) {
    const path = `${registration}/${kind}webhookconfigurations`;
    const which = kind === 'validating' ? '/configmaps' : '/mutating-configmaps';
    const body = kind === 'validating' ? { [offend]: 'x' } : { 'mutation-start': 'yes' };
    const attempt = () => ask(`POST ${configMaps}?dryRun=All`, configMap('x', body));
    const works = ({ status, json }: Answer): boolean => status === 400 || Object.keys(json.data).length > 1;
    for (const name of ['a', 'b'])
      await configure(
        fixture,
        kind,
        name,
        [hook(fixture, which, [rule('', 'configmaps', ['CREATE'])], { name: `${name}.k8s.io` })],
        { e2e: 'yes' },
      );
    await until(attempt, works);
    t.equal((await ask(`GET ${path}?labelSelector=e2e=yes`)).json.items.length, 2);
    t.equal((await ask(`DELETE ${path}?labelSelector=e2e=yes`)).status, 200);
    await until(attempt, answer => !works(answer));

    await configure(fixture, kind, 'c', [hook(fixture, which, [rule('', 'configmaps', ['CREATE'])])]);
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

t.test('match conditions are stored, validated and evaluated', async t => {
  const fixture = await stage(t);
  const { ask } = fixture;
  const conditions = [{ name: 'expression-1', expression: 'object.metadata.namespace == "production"' }];
  for (const kind of ['validating', 'mutating'] as const) {
    const path = `${registration}/${kind}webhookconfigurations`;
    const of = (matchConditions: object[]) => [
      hook(fixture, '/skip-me', [rule('', 'configmaps', ['CREATE'])], { matchConditions }),
    ];
    await configure(fixture, kind, 'conditions', of(conditions));
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
  await configure(fixture, 'mutating', 'skips', [
    hook(fixture, '/always-deny', [rule('', 'configmaps', ['CREATE'])], notSkipped),
  ]);
  await until(
    () => ask(`POST ${configMaps}?dryRun=All`, configMap('other')),
    ({ status }) => status === 400,
  );
  t.equal((await ask(`POST ${configMaps}?dryRun=All`, configMap('skip-me'))).status, 201);
});
