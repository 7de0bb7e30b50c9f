/** A ResourceInterpreterWebhookConfiguration counts for templates that are reconciled after it was written. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { bindingName } from '../../../../api/karmada/names.js';
import type { Binding } from '../../../../api/karmada/types.js';
import { resources } from '../../../../api/karmada/well-known.js';
import { events } from '../../../../api/kubernetes/resources.js';
import { karmadaControllers } from '../../../../cli/parts/karmada-controllers.js';
import type { Client } from '../../../../client/interface.js';
import { find } from '../../../../client/find.js';
import { runningServer } from '../../../apiserver/running.js';
import { startWebhook, type Webhook } from '../../../aggregation/webhooks.js';
import { configMap, configmaps } from '../../../registry/serve.js';
import { until } from '../../../storage/until.js';
import { configuration, hookOf, reply } from './interpreting.js';

const policy = (name: string, labels: object): KubeObject => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: { namespace: 'default', name } },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', labelSelector: { matchLabels: labels } }],
    placement: { clusterAffinity: { clusterNames: ['m1'] } },
  },
});

const labelled = (name: string, labels: Record<string, string>): KubeObject => ({
  ...configMap(name),
  metadata: { name, namespace: 'default', labels },
});

async function bindingOf(client: Client, name: string): Promise<Binding | undefined> {
  const key = { namespace: 'default', name: bindingName('ConfigMap', name) };
  return (await find(client, resources.resourceBindings, key)) as Binding | undefined;
}

/** Resolves when the binding of the ConfigMap has that number of replicas. */
const bound = (client: Client, name: string, replicas: number): Promise<void> =>
  until(`${name} has ${replicas} replicas`, async () => (await bindingOf(client, name))?.spec.replicas === replicas);

/** Creates ConfigMaps until the webhook is called for one, and returns its name. */
async function firstCalled(client: Client, webhook: Webhook): Promise<string> {
  for (let n = 0; ; n++) {
    const name = `first${n}`;
    await client.create(configmaps, labelled(name, { p: 'p' }));
    await until(
      `${name} is seen`,
      async () => webhook.calls.length > 0 || (await bindingOf(client, name)) !== undefined,
    );
    if (webhook.calls.length > 0) return name;
  }
}

const hooks = resources.interpreterWebhookConfigurations;
const maps = (webhook: Webhook, more: object = {}): object =>
  hookOf(webhook, { operations: ['InterpretReplica'], apiGroups: [''], kinds: ['ConfigMap'], more });

async function started(t: Test): Promise<Client> {
  const { client } = await runningServer(t, { parts: [karmadaControllers(() => true)] });
  await client.create(resources.propagationPolicies, policy('p', { p: 'p' }));
  return client;
}

t.test('a configuration that is written, changed and deleted', async t => {
  const webhook = await startWebhook(t, review => reply(review, { replicas: 7 }));
  const client = await started(t);
  let n = 0;
  /** Resolves when new ConfigMaps are bound with that number of replicas. */
  const takesEffect = (replicas: number | undefined): Promise<void> =>
    until(`new ConfigMaps have ${replicas} replicas`, async () => {
      const name = `a${n++}`;
      await client.create(configmaps, labelled(name, { p: 'p' }));
      let binding: Binding | undefined;
      await until(`${name} is bound`, async () => (binding = await bindingOf(client, name)) !== undefined);
      return binding?.spec.replicas === replicas;
    });
  await takesEffect(undefined);
  await client.create(hooks, configuration('maps', maps(webhook)));
  await takesEffect(7);
  const other = await startWebhook(t, review => reply(review, { replicas: 9 }));
  const stored = await client.get(hooks, { name: 'maps' });
  await client.update(hooks, { ...stored, webhooks: [maps(other)] });
  await takesEffect(9);
  await client.delete(hooks, { name: 'maps' });
  await takesEffect(undefined);
  t.pass('each change counts');
});

t.test('a webhook that never answers holds up neither other kinds nor a healthy webhook', async t => {
  const silent = await startWebhook(t, () => ({ silent: true }));
  const client = await started(t);
  const timeouts = { timeoutSeconds: 30 };
  await client.create(hooks, configuration('maps', maps(silent, timeouts)));
  const first = await firstCalled(client, silent);
  for (let n = 0; n < 60; n++) await client.create(configmaps, labelled(`stuck${n}`, { p: 'p' }));
  await client.create(resources.propagationPolicies, {
    ...policy('secrets', {}),
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'Secret' }],
      placement: { clusterAffinity: { clusterNames: ['m1'] } },
    },
  });
  for (let n = 0; n < 20; n++) {
    const metadata = { name: `s${n}`, namespace: 'default' };
    await client.create({ ...configmaps, resource: 'secrets' }, { apiVersion: 'v1', kind: 'Secret', metadata });
  }
  for (let n = 0; n < 20; n++)
    await until(`Secret s${n} is bound`, async () => {
      const key = { namespace: 'default', name: bindingName('Secret', `s${n}`) };
      return (await find(client, resources.resourceBindings, key)) !== undefined;
    });
  t.equal(silent.calls.length, 16, 'its calls are bounded, and none has ended, since another one would have begun');

  const healthy = await startWebhook(t, review => reply(review, { replicas: 3 }));
  const stored = await client.get(hooks, { name: 'maps' });
  await client.update(hooks, { ...stored, webhooks: [maps(healthy)] });
  await bound(client, first, 3);
  await Promise.all(Array.from({ length: 60 }, (_, n) => bound(client, `stuck${n}`, 3)));
});

t.test('the failure of a webhook is an Event of the template', async t => {
  const webhook = await startWebhook(t, review =>
    reply(review, { successful: false, status: { code: 400, message: 'what is this?' } }),
  );
  const client = await started(t);
  await client.create(hooks, configuration('maps', maps(webhook)));
  const name = await firstCalled(client, webhook);
  await until('there is an Event', async () => {
    const { items } = await client.list(events, { namespace: 'default' });
    return items.some(
      ({ reason, message }) =>
        reason === 'GetReplicasFailed' &&
        message ===
          'Internal error occurred: failed calling webhook "maps/w.example.com": webhook call failed, get status code: 400, msg: what is this?',
    );
  });
  t.equal(await bindingOf(client, name), undefined);
});
