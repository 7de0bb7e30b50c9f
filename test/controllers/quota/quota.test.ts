/** Propagation of static assignments to members, and aggregation of their usage. */
import t from 'tap';
import { NamespaceUsage } from '../../../controllers/quota/namespace-usage.js';
import { quotaStatus, usedOf } from '../../../controllers/quota/quota-status.js';
import { quotaWork } from '../../../controllers/quota/static-assignments.js';
import type { FederatedResourceQuota } from '../../../kinds/karmada/quota/federated-resource-quota.js';
import type { Binding, BindingSpec, Work } from '../../../api/karmada/types.js';

const quota: FederatedResourceQuota = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: { namespace: 'n', name: 'q' },
  spec: { overall: { cpu: '10' }, staticAssignments: [{ clusterName: 'm1', hard: { cpu: '4' } }] },
};

const reporting = (cluster: string, status: Record<string, unknown> | undefined, applied = 'True'): Work => ({
  ...quotaWork(quota, cluster),
  status: {
    conditions: [{ type: 'Applied', status: applied as 'True', reason: '', message: '', lastTransitionTime: '' }],
    manifestStatuses: [
      {
        identifier: { ordinal: 0, version: 'v1', kind: 'ResourceQuota', resource: '', name: 'q' },
        ...(status && { status }),
      },
    ],
  },
});

t.test('each cluster gets a Work with its assignment', async t => {
  const work = quotaWork(quota, 'm1');
  t.equal(work.metadata.namespace, 'karmada-es-m1');
  t.match(work.metadata.labels, {
    'federatedresourcequota.karmada.io/namespace': 'n',
    'federatedresourcequota.karmada.io/name': 'q',
  });
  t.match(work.spec.workload?.manifests, [
    { kind: 'ResourceQuota', metadata: { namespace: 'n', name: 'q' }, spec: { hard: { cpu: '4' } } },
  ]);
});

t.test('the usage of clusters is summed', async t => {
  const cases: { name: string; given: Work[]; expect: object }[] = [
    { name: 'nothing reported', given: [], expect: { overall: { cpu: '10' } } },
    {
      name: 'two clusters, in order',
      given: [
        reporting('m2', { hard: { cpu: '4' }, used: { cpu: '1500m', memory: '1Gi' } }),
        reporting('m1', { hard: { cpu: '4' }, used: { cpu: '500m' } }),
      ],
      expect: {
        overall: { cpu: '10' },
        overallUsed: { cpu: '2', memory: '1Gi' },
        aggregatedStatus: [
          { clusterName: 'm1', hard: { cpu: '4' }, used: { cpu: '500m' } },
          { clusterName: 'm2', hard: { cpu: '4' }, used: { cpu: '1500m', memory: '1Gi' } },
        ],
      },
    },
    {
      name: 'a cluster that does not exist, and one without a report',
      given: [reporting('m1', { used: { cpu: '1' } }, 'False'), reporting('m2', undefined)],
      expect: { overall: { cpu: '10' }, aggregatedStatus: [{ clusterName: 'm2' }] },
    },
  ];
  for (const { name, given, expect } of cases) t.same(quotaStatus(quota, given, false), expect, name);
});

t.test('with enforcement by admission, reports of clusters do not change overallUsed', async t => {
  const status = { overall: { cpu: '9' }, overallUsed: { cpu: '3' }, aggregatedStatus: [{ clusterName: 'gone' }] };
  t.same(quotaStatus({ ...quota, status }, [reporting('m1', { used: { cpu: '1' } })], true), {
    overall: { cpu: '9' },
    overallUsed: { cpu: '3' },
    aggregatedStatus: [{ clusterName: 'm1', used: { cpu: '1' } }],
  });
  const binding = (spec: Partial<BindingSpec>): Binding => ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { namespace: 'n', name: 'b' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      replicaRequirements: { resourceRequest: { cpu: '250m', memory: '1Gi' } },
      ...spec,
    },
  });
  const bindings = [
    binding({
      clusters: [
        { name: 'm1', replicas: 2 },
        { name: 'm2', replicas: 1 },
      ],
    }),
    binding({ clusters: [{ name: 'm1', replicas: 1 }] }),
    binding({}),
  ];
  const usage = new NamespaceUsage();
  t.strictSame(
    bindings.map(binding => usage.replace(undefined, binding)),
    [true, true, false],
    'a binding without targets uses nothing',
  );
  t.same(usedOf(quota, usage.of('n')), { cpu: '1' }, 'only the resources in the quota');
  t.notOk(usage.replace(bindings[0], { ...(bindings[0] as Binding), status: {} }), 'a status changes no usage');
  t.ok(usage.replace(bindings[0], bindings[1]), 'fewer replicas');
  t.same(usedOf(quota, usage.of('n')), { cpu: '500m' });
  t.ok(usage.replace(bindings[1], undefined), 'a deleted binding');
  t.ok(usage.replace(bindings[1], undefined));
  t.strictSame([...usage.of('n')], [], 'nothing is left of a namespace without usage');
});
