/**
 * A binding that cannot be placed says what it waits for, and is placed when that happens. A binding that fits nowhere is never retried after some
 * time.
 */
import t from 'tap';
import type { Binding, BindingSpec } from '../../../api/karmada/types.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { events } from '../../../api/kubernetes/resources.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout } from '../../controllers/control-plane.js';
import { until } from '../../storage/until.js';

const key = { namespace: 'default', name: 'web' };
const cluster = { name: 'm1' };
const quota = { namespace: 'default', name: 'q' };
const merge = (patch: Record<string, unknown>) => ({ type: 'merge', patch }) as const;
const apiEnablements = [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }];
const quotaOf = (cpu: string) => ({ spec: { overall: { cpu } } });

interface Row {
  readonly name: string;
  /** Prevents the placement. */
  readonly before: (server: TestServer) => Promise<unknown>;
  readonly spec?: Partial<BindingSpec>;
  /** The reason of the condition, and what the Event says. */
  readonly reason: string;
  readonly waitsFor: string;
  readonly help: (server: TestServer) => Promise<unknown>;
}

const rows: readonly Row[] = [
  {
    name: 'a taint',
    before: ({ client }) =>
      client.patch(resources.clusters, cluster, merge({ spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })),
    ...{ reason: 'NoClusterFit', waitsFor: 'taints of clusters' },
    help: ({ client }) => client.patch(resources.clusters, cluster, merge({ spec: { taints: null } })),
  },
  {
    name: 'a label',
    before: () => Promise.resolve(),
    spec: { placement: { clusterAffinity: { labelSelector: { matchLabels: { tier: 'gold' } } } } },
    ...{ reason: 'NoClusterFit', waitsFor: 'labels and fields of clusters' },
    help: ({ client }) => client.patch(resources.clusters, cluster, merge({ metadata: { labels: { tier: 'gold' } } })),
  },
  {
    name: 'a label that it is spread by',
    before: () => Promise.resolve(),
    spec: { placement: { spreadConstraints: [{ spreadByLabel: 'rack', minGroups: 1 }] } },
    ...{ reason: 'NoClusterFit', waitsFor: 'labels, regions, zones and providers of clusters' },
    help: ({ client }) => client.patch(resources.clusters, cluster, merge({ metadata: { labels: { rack: 'r1' } } })),
  },
  {
    name: 'a kind',
    before: ({ client }) =>
      client.patch(resources.clusters, cluster, merge({ status: { apiEnablements: null } }), { subresource: 'status' }),
    ...{ reason: 'NoClusterFit', waitsFor: 'a cluster that begins to serve the kind' },
    help: ({ client }) =>
      client.patch(resources.clusters, cluster, merge({ status: { apiEnablements } }), { subresource: 'status' }),
  },
  {
    name: 'a quota',
    before: ({ client }) =>
      client.create(
        resources.federatedResourceQuotas,
        object('policy.karmada.io/v1alpha1', 'FederatedResourceQuota', quota.name, {
          metadata: { namespace: quota.namespace },
          ...quotaOf('1'),
        }),
      ),
    ...{ reason: 'QuotaExceeded', waitsFor: 'a FederatedResourceQuota that allows the replicas' },
    help: ({ client }) => client.patch(resources.federatedResourceQuotas, quota, merge(quotaOf('10'))),
  },
];

for (const { name, before, spec, reason, waitsFor, help } of rows)
  t.test(`a binding waits for ${name}`, async t => {
    const gates = featureGates({ PriorityBasedScheduling: true, FederatedQuotaEnforcement: true });
    const server = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
    const { client } = server;
    const status = { apiEnablements, resourceSummary: { allocatable: { cpu: '8', pods: '100' } } };
    await client.create(
      resources.clusters,
      object('cluster.karmada.io/v1alpha1', 'Cluster', cluster.name, {
        spec: { syncMode: 'Push', apiEndpoint: 'https://m1.example.com' },
      }),
    );
    await client.patch(resources.clusters, cluster, merge({ status }), { subresource: 'status' });
    await before(server);
    await client.create(
      resources.resourceBindings,
      object('work.karmada.io/v1alpha2', 'ResourceBinding', key.name, {
        metadata: { namespace: key.namespace, labels: { [labels.propagationPolicyId]: 'p' } },
        spec: {
          resource: { apiVersion: 'apps/v1', kind: 'Deployment', ...key },
          ...{ replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } }, placement: {} },
          ...spec,
        },
      }),
    );
    const comes = (holds: (binding: Binding) => boolean) =>
      comesAbout(server, resources.resourceBindings, key, found => holds(found as Binding));
    await comes(({ status }) => findCondition(status?.conditions, 'Scheduled')?.reason === reason);
    await until('an Event says what it waits for', async () => {
      const { items } = await client.list(events, { namespace: key.namespace });
      return items.some(
        event =>
          event['reason'] === 'SchedulingExplained' && String(event['message']).includes(`waits for ${waitsFor}`),
      );
    });
    await help(server);
    const placed = await comes(({ status }) => findCondition(status?.conditions, 'Scheduled')?.reason === 'Success');
    t.match((placed as Binding).spec.clusters, [cluster]);
  });
