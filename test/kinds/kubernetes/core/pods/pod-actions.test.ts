import t from 'tap';
import type { KubeObject } from '../../../../../apimachinery/interface.js';
import { statusOf } from '../../../../../apimachinery/errors/status.js';
import type { Client } from '../../../../../client/interface.js';
import { nativeDefinitions } from '../../../../../kinds/kubernetes/native.js';
import { serve } from '../../../../registry/serve.js';

const namespace = 'default';
const pods = { group: '', version: 'v1', resource: 'pods' };
const bindings = { group: '', version: 'v1', resource: 'bindings' };
const budgets = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
const done = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

async function server(t: Parameters<typeof serve>[0]): Promise<Client> {
  const kinds = ['Pod', 'PodDisruptionBudget', 'Binding'];
  const { client } = await serve(t, { definitions: nativeDefinitions().filter(d => kinds.includes(d.kind)) });
  return client;
}

const pod = (name: string, spec: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

async function running(client: Client, name: string, ready: boolean): Promise<KubeObject> {
  const made = await client.create(pods, pod(name));
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] };
  return client.update(pods, { ...made, status }, { subresource: 'status' });
}

async function budget(
  client: Client,
  name: string,
  status: Record<string, unknown>,
  spec: Record<string, unknown> = {},
): Promise<void> {
  const made = await client.create(budgets, {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace } },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } }, ...spec },
  });
  await client.update(budgets, { ...made, status }, { subresource: 'status' });
}

const evict = (client: Client, name: string, more: Record<string, unknown> = {}, dryRun = false): Promise<KubeObject> =>
  client.create(
    pods,
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, ...more },
    { name, subresource: 'eviction', dryRun },
  );

const bind = (
  client: Client,
  name: string,
  metadata: object = {},
  target: object = { name: 'n' },
): Promise<KubeObject> =>
  client.create(
    pods,
    { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, ...metadata }, target },
    { name, subresource: 'binding' },
  );

const refused = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work;
  } catch (error) {
    const { code, message, details } = statusOf(error);
    return { code, message, ...(details?.causes && { causes: details.causes }) };
  }
};

const exists = async (client: Client, name: string): Promise<boolean> =>
  (await client.list(pods, { fieldSelector: `metadata.name=${name}` })).items.length > 0;

t.test('a pod that does not run is evicted without a check of budgets', async t => {
  const client = await server(t);
  await budget(client, 'b', { observedGeneration: 1, disruptionsAllowed: 0 });
  await client.create(pods, pod('p'));
  t.same(await evict(client, 'p'), done);
  t.notOk(await exists(client, 'p'));
});

t.test('a budget allows its number of disruptions, and then none', async t => {
  const client = await server(t);
  const healthy = { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
  await budget(client, 'b', { observedGeneration: 1, disruptionsAllowed: 1, ...healthy });
  await running(client, 'p', true);
  await running(client, 'q', true);
  t.same(await evict(client, 'p', {}, true), done, 'a dry run does not count');
  t.ok(await exists(client, 'p'));
  t.same(await evict(client, 'p'), done);
  t.notOk(await exists(client, 'p'));
  const { status } = (await client.get(budgets, { namespace, name: 'b' })) as { status?: object } & KubeObject;
  t.match(status, {
    disruptionsAllowed: 0,
    disruptedPods: { p: /Z$/ },
    conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', observedGeneration: 1 }],
  });
  t.match(await refused(evict(client, 'q')), {
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b does not allow evicting pods currently' }],
  });
  t.ok(await exists(client, 'q'));
});

t.test('a refused eviction gives the reason', async t => {
  const client = await server(t);
  await running(client, 'p', true);
  await budget(client, 'b', { observedGeneration: 0 });
  const text = async (): Promise<unknown> =>
    ((await refused(evict(client, 'p'))) as { causes: { message: string }[] }).causes[0]?.message;
  t.equal(await text(), 'The disruption budget b is still being processed by the server.');
  const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no' };
  const since = { lastTransitionTime: '2026-01-01T00:00:00Z' };
  const causeWith = async (status: object): Promise<unknown> => {
    const live = await client.get(budgets, { namespace, name: 'b' });
    await client.update(budgets, { ...live, status: { observedGeneration: 1, ...status } }, { subresource: 'status' });
    return text();
  };
  const needs = { desiredHealthy: 3, currentHealthy: 3 };
  t.equal(await causeWith(needs), 'The disruption budget b needs 3 healthy pods and has 3 currently');
  const nothing = 'The disruption budget b does not allow evicting pods currently';
  t.equal(
    await causeWith({ ...needs, conditions: [{ ...failed, ...since }] }),
    `${nothing} because it failed sync: no`,
  );
  const other = { conditions: [{ ...failed, ...since, reason: 'Other' }], currentHealthy: 1 };
  t.equal(await causeWith(other), `${nothing} (Other): no`);
  await budget(client, 'c', { observedGeneration: 1 });
  t.match(await evict(client, 'p'), { status: 'Failure', code: 500, message: /^This pod has more than one/ });
});

t.test('pods that are not ready are evicted by the policy of their budget', async t => {
  const client = await server(t);
  await running(client, 'p', false);
  await budget(client, 'b', { observedGeneration: 1, currentHealthy: 0, desiredHealthy: 1 });
  t.match(await refused(evict(client, 'p')), { code: 429 }, 'refused while too few pods are healthy');
  const live = await client.get(budgets, { namespace, name: 'b' });
  const { spec } = live as { spec?: object } & KubeObject;
  await client.update(budgets, { ...live, spec: { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
  t.same(await evict(client, 'p'), done, 'allowed by the policy AlwaysAllow');
  t.notOk(await exists(client, 'p'));
});

t.test('invalid evictions are refused', async t => {
  const client = await server(t);
  const made = await running(client, 'p', true);
  const wrong = { metadata: { name: 'q', namespace } };
  t.match(await refused(evict(client, 'p', wrong)), {
    code: 400,
    message: 'name in URL does not match name in Eviction object',
  });
  const preconditions = { uid: 'other' };
  t.match(await refused(evict(client, 'p', { deleteOptions: { preconditions } })), {
    code: 409,
    message: `Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record (${made.metadata.uid}). The object might have been deleted and then recreated`,
  });
  const reckless = { deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } };
  t.match(await refused(evict(client, 'p', reckless)), {
    code: 422,
    message:
      'Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
  });
  t.match(await refused(evict(client, 'none')), { code: 404, message: 'pods "none" not found' });
});

t.test('a binding assigns a pod to a node, once', async t => {
  const client = await server(t);
  await client.create(pods, pod('p'));
  t.same(await bind(client, 'p', { annotations: { a: 'b' } }), done);
  t.match(await client.get(pods, { namespace, name: 'p' }), {
    metadata: { annotations: { a: 'b' } },
    spec: { nodeName: 'n' },
    status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
  t.match(await refused(bind(client, 'p')), {
    code: 409,
    message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
  });
  await client.create(pods, pod('older'));
  const older = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'older', namespace }, target: { name: 'm' } };
  t.same(await client.create(bindings, older), done);
  t.match(await client.get(pods, { namespace, name: 'older' }), { spec: { nodeName: 'm' } });
});

t.test('invalid bindings are refused', async t => {
  const client = await server(t);
  const made = await client.create(pods, pod('p'));
  await client.create(pods, pod('gated', { schedulingGates: [{ name: 'example.com/g' }] }));
  const text = async (work: Promise<unknown>): Promise<unknown> =>
    ((await refused(work)) as { message: string }).message;
  t.equal(
    await text(bind(client, 'p', {}, { kind: 'Pod' })),
    '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
  );
  t.equal(await text(bind(client, 'p', { name: 'q' })), 'name in URL does not match name in Binding object');
  t.equal(
    await text(bind(client, 'gated')),
    'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
  );
  t.equal(
    await text(bind(client, 'p', { uid: 'other' })),
    `Operation cannot be fulfilled on pods "p": StorageError: invalid object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${made.metadata.uid}`,
  );
  t.match(await text(bind(client, 'p', { resourceVersion: '1' })), /ResourceVersion in precondition: 1, /);
});
