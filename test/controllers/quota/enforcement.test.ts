/** Corrections of the usage of an enforced quota, next to a charge whose binding is not stored yet. */
import t from 'tap';
import { componentContext } from '../../../client/runtime/component.js';
import { startQuotaEnforcement } from '../../../controllers/quota/enforcement.js';
import type { FederatedResourceQuota } from '../../../kinds/karmada/quota/federated-resource-quota.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import type { Part } from '../../../server/parts.js';
import { object } from '../../aggregation/fleet.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

/** The controller alone. Without the gate, nothing is charged when a binding is written. */
const enforcement: Part = {
  name: 'quota-enforcement',
  start(part) {
    const context = componentContext(part, 'karmada-controller-manager');
    startQuotaEnforcement(context, { syncPeriodMs: 0 });
    return Promise.resolve({ stop: () => context.finished() });
  },
};

const namespace = 'default';
const key = { namespace, name: 'q' };

const quota = (): KubeObject =>
  object('policy.karmada.io/v1alpha1', 'FederatedResourceQuota', 'q', {
    metadata: { namespace },
    spec: { overall: { cpu: '100' } },
  });

const used = async ({ client }: TestServer): Promise<string | undefined> =>
  ((await client.get(resources.federatedResourceQuotas, key)) as FederatedResourceQuota).status?.overallUsed?.['cpu'];

/** Stores a binding with a usage of three CPUs. */
const bind = ({ client }: TestServer, name: string): Promise<KubeObject> =>
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

t.test('a binding that is stored right after a correction counts', async t => {
  const server = await runningServer(t, { parts: [enforcement] });
  const { client } = server;
  await bind(server, 'first');
  await bind(server, 'second');
  await client.create(resources.federatedResourceQuotas, quota());
  await until('both are counted', async () => (await used(server)) === '6');
  await client.delete(resources.resourceBindings, { namespace, name: 'first' });
  await until('one is counted', async () => (await used(server)) === '3');
  await bind(server, 'third');
  await until('the new one is counted', async () => (await used(server)) === '6');
});

t.test('a charge for a write that failed or was repeated is taken back, without a period', async t => {
  const server = await runningServer(t, { parts: [enforcement] });
  const { client } = server;
  await client.create(resources.federatedResourceQuotas, quota());
  await bind(server, 'first');
  await until('it is counted', async () => (await used(server)) === '3');
  const charged = await client.patch(
    resources.federatedResourceQuotas,
    key,
    { type: 'merge', patch: { status: { overallUsed: { cpu: '6' } } } },
    { subresource: 'status' },
  );
  t.match(charged, { status: { overallUsed: { cpu: '6' } } });
  await until('only what is used is charged', async () => (await used(server)) === '3');
});
