/** Which webhooks are called for a request, and with which version of the object. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { admissionAnswer as answer, patchAnswer as patch } from '../../aggregation/webhooks.js';
import { configmaps, deployment, deployments, namespaces, refusal, configMap } from '../../registry/serve.js';
import { crds, define, definition, version, widget, widgets } from '../../registry/dynamic/definitions.js';
import {
  eventually,
  mutatingConfigurations,
  refused,
  validatingConfigurations,
  create,
} from '../plugins/configured.js';
import { object } from '../plugins/guarded.js';
import { hook, configure, forget, called, requestOf, start } from './hooked.js';

t.test('rules and selectors of webhooks match requests', async t => {
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
  await client.create(deployments, deployment('existing'));
  const scale = () =>
    client.patch(
      deployments,
      { name: 'existing', namespace: 'default' },
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
      no: () => client.delete(deployments, { name: 'existing', namespace: 'default' }, { dryRun: true }),
    },
    { name: 'groups', given: rule({ apiGroups: ['apps'] }), yes: dep, no: () => cm() },
    { name: 'cluster-scoped', given: rule({ scope: 'Cluster' }), yes: () => ns(), no: () => cm() },
    { name: 'namespaced', given: rule({ scope: 'Namespaced' }), yes: () => cm(), no: () => ns() },
    { name: 'resources without subresources', given: rule({ resources: ['deployments'] }), yes: dep, no: scale },
    { name: 'subresources', given: rule({ resources: ['*/scale'] }), yes: scale, no: dep },
    { name: 'subresources of one resource', given: rule({ resources: ['deployments/*'] }), yes: scale, no: () => cm() },
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

t.test('match conditions that fail', async t => {
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

t.test('a webhook gets objects in the version of its rule', async t => {
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
  t.equal(webhook.calls.length, 0, 'matchPolicy Exact does not match other versions');
});

t.test('webhooks with admission.k8s.io/v1beta1', async t => {
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

t.test('a dry run calls webhooks without side effects', async t => {
  const { server, webhook } = await start(t);
  await configure(server.client, 'Validating', 'c', hook(webhook, { sideEffects: 'NoneOnDryRun' }));
  await called(webhook, () => create(server));
  t.equal(requestOf(webhook)['dryRun'], true);
});

t.test('webhooks are not called for webhook configurations', async t => {
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
