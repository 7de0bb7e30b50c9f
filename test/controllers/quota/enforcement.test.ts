/** Corrections of the usage of an enforced quota, next to a charge whose binding is not stored yet. */
import t from 'tap';
import { componentContext } from '../../../client/runtime/component.js';
import { startQuotaEnforcement } from '../../../controllers/quota/enforcement.js';
import type { FederatedResourceQuota } from '../../../kinds/karmada/quota/federated-resource-quota.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import type { Part } from '../../../server/parts.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

/** The controller alone. Without the gate, nothing is charged when a binding is written. */
const enforcement: Part = {
  name: 'quota-enforcement',
  start(part) {
    const context = componentContext(part, 'karmada-controller-manager');
    startQuotaEnforcement(context, { syncPeriod: 0 });
    return Promise.resolve({ stop: () => context.finished() });
  },
};

const namespace = 'default';

t.test('a binding that is stored right after a correction counts', async t => {
  const { client } = await runningServer(t, { parts: [enforcement] });
  const bind = (name: string) =>
    client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
        metadata: { namespace, labels: { [labels.propagationPolicyId]: 'p' } },
        spec: {
          resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
          ...{ replicas: 1, replicaRequirements: { resourceRequest: { cpu: '3' } } },
          clusters: [{ name: 'm1', replicas: 1 }],
        },
      }),
    );
  const used = async (): Promise<string | undefined> =>
    ((await client.get(resources.federatedResourceQuotas, { namespace, name: 'q' })) as FederatedResourceQuota).status
      ?.overallUsed?.['cpu'];
  await bind('first');
  await bind('second');
  await client.create(
    resources.federatedResourceQuotas,
    object('policy.karmada.io/v1alpha1', 'FederatedResourceQuota', 'q', {
      metadata: { namespace },
      spec: { overall: { cpu: '100' } },
    }),
  );
  await until('both are counted', async () => (await used()) === '6');
  await client.delete(resources.resourceBindings, { namespace, name: 'first' });
  await until('one is counted', async () => (await used()) === '3');
  await bind('third');
  await until('the new one is counted', async () => (await used()) === '6');
});
