/** A policy whose deletion is blocked reports by what. */
import t from 'tap';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { admissionAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const configMaps: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };
const events: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
const webhooks: GroupVersionResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
};
const claimed = { namespace: 'default', name: 'claimed' };
const policy = { namespace: 'default', name: 'policy' };

t.test('the deletion of a policy reports a template that cannot be released', async t => {
  const { client } = await runningServer(t, { parts: [karmadaControllers(() => true)] });
  await client.create(resources.propagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: policy },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], placement: {} },
  });
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: claimed });
  const label = 'propagationpolicy.karmada.io/permanent-id';
  await until('the policy claims the template', async () =>
    Boolean((await client.get(configMaps, claimed)).metadata.labels?.[label]),
  );
  const webhook = await startWebhook(t, review =>
    admissionAnswer(review, { allowed: false, status: { message: 'not today' } }),
  );
  const configuration = { name: 'frozen' };
  await client.create(webhooks, {
    ...{
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: configuration,
    },
    webhooks: [
      {
        ...{ name: 'frozen.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None' },
        clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['configmaps'] }],
      },
    ],
  });
  await until('the webhook is asked', async () => {
    const patch = { type: 'merge', patch: { data: { a: String(Math.random()) } } } as const;
    return client.patch(configMaps, claimed, patch).then(
      () => false,
      () => true,
    );
  });
  await client.delete(resources.propagationPolicies, policy);
  await until('an event says what it waits for', async () => {
    const { items } = await client.list(events, { namespace: 'default' });
    return items.some(
      ({ reason, message }) =>
        reason === 'CleanupPolicyFailed' &&
        /ConfigMap default\/claimed cannot be released: .*not today/.test(String(message)),
    );
  });
  await client.delete(webhooks, configuration);
  await until('the policy goes', () =>
    client.get(resources.propagationPolicies, policy).then(
      () => false,
      () => true,
    ),
  );
});
