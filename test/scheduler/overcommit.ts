import type { Test } from 'tap';
import type { Binding } from '../../api/karmada/types.js';
import { labels, resources } from '../../api/karmada/well-known.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { findCondition } from '../../kinds/karmada/conditions.js';
import { featureGates } from '../../kinds/karmada/feature-gates.js';
import { object } from '../aggregation/fleet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

/**
 * Returns how many of five workloads that come at the same time are placed in a cluster with room for two of them. `part`: the scheduler.
 */
export async function placedInOneCluster(
  t: Test,
  SchedulingOvercommitProtection: boolean,
  part = scheduler(),
): Promise<number> {
  const gates = featureGates({ SchedulingOvercommitProtection });
  const { client } = await runningServer(t, { profile: 'karmada', parts: [part], featureGates: gates });
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m1.example.com' };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'm1', { spec }));
  const status = {
    apiEnablements: [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }],
    resourceSummary: { allocatable: { cpu: '10', pods: '100' } },
  };
  const change = { type: 'merge', patch: { status } } as const;
  await client.patch(resources.clusters, { name: 'm1' }, change, { subresource: 'status' });
  const make = (name: string) =>
    object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
      metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name },
        replicas: 4,
        replicaRequirements: { resourceRequest: { cpu: '1' } },
        placement: {
          replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
        },
      },
    });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map(name => client.create(resources.resourceBindings, make(name))));
  const bindings = async (): Promise<readonly Binding[]> =>
    (await client.list(resources.resourceBindings)).items.map(item => item as Binding);
  const isAttempted = ({ status }: Binding): boolean => findCondition(status?.conditions, 'Scheduled') !== undefined;
  await until('all are attempted', async () => (await bindings()).every(isAttempted));
  return (await bindings()).filter(({ spec }) => spec.clusters?.length).length;
}
