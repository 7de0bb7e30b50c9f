/** A cluster is observed in every period, even if its status cannot be written for a long time. */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { admissionAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { until } from '../../storage/until.js';
import { comesAbout, controlPlane } from '../control-plane.js';

const webhooks = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
};
const key = { name: 'member1' };
const wrong = 'v0.0.0';
const versionOf = (cluster: object | undefined): string =>
  (cluster as Cluster | undefined)?.status?.kubernetesVersion ?? '';

t.test('refused writes of the status do not delay the next observations', async t => {
  const server = await controlPlane(t, { lookEveryMs: 200 });
  const { client } = server;
  await comesAbout(server, resources.clusters, key, cluster => versionOf(cluster) !== '');
  let refused = 0;
  const webhook = await startWebhook(t, review => {
    const allowed = versionOf((review.request as { object?: object }).object) === wrong;
    if (!allowed) refused++;
    return admissionAnswer(review, { allowed });
  });
  await client.create(webhooks, {
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
    metadata: { name: 'frozen' },
    webhooks: [
      {
        ...{ name: 'frozen.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None' },
        clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
        rules: [
          {
            ...{ apiGroups: ['cluster.karmada.io'], apiVersions: ['*'] },
            ...{ operations: ['UPDATE'], resources: ['clusters/status'] },
          },
        ],
      },
    ],
  });
  await until('the wrong status is written, and its correction is refused', async () => {
    const patch = { type: 'merge', patch: { status: { kubernetesVersion: wrong } } } as const;
    await client.patch(resources.clusters, key, patch, { subresource: 'status' });
    return refused > 0;
  });
  // With the usual backoff, the twentieth attempt would come after more than an hour.
  await until('20 attempts', () => refused >= 20);
  await client.delete(webhooks, { name: 'frozen' });
  await comesAbout(server, resources.clusters, key, cluster => versionOf(cluster) !== wrong);
});
