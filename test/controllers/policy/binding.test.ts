/** The binding of a policy for a template. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding, BindingSpec, Policy, PropagationSpec } from '../../../api/karmada/types.js';
import { annotations, finalizers, labels } from '../../../api/karmada/well-known.js';
import { affinityGroups, desiredBinding, refreshBinding } from '../../../controllers/policy/binding.js';

const template: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { namespace: 'n', name: 'Web:1', uid: 'u', resourceVersion: '7', labels: { app: 'x', tier: 'y' } },
};
const policy = (spec: Partial<PropagationSpec> = {}): Policy => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  metadata: { namespace: 'n', name: 'p', labels: { [labels.propagationPolicyId]: '1' } },
  spec: { resourceSelectors: [], ...spec },
});

t.test('a namespaced template gets a ResourceBinding, owned by the template and claimed by the policy', async t => {
  t.strictSame(desiredBinding(template, policy(), {}), {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: {
      name: 'web.1-deployment',
      namespace: 'n',
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'Web:1',
          uid: 'u',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      finalizers: [finalizers.binding],
      labels: { [labels.propagationPolicyId]: '1' },
      annotations: { [annotations.propagationPolicyNamespace]: 'n', [annotations.propagationPolicyName]: 'p' },
    },
    spec: {
      resource: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'n',
        name: 'Web:1',
        uid: 'u',
        resourceVersion: '7',
      },
      placement: {},
    },
  });
});

t.test('a template without a namespace gets a ClusterResourceBinding', async t => {
  const role: KubeObject = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'r', uid: 'u', labels: { app: 'x' } },
  };
  const grouped = policy({ placement: { workloadAffinity: { affinity: { groupByLabelKey: 'app' } } } });
  const { kind, metadata, spec } = desiredBinding(role, grouped, {});
  t.equal(kind, 'ClusterResourceBinding');
  t.strictSame(metadata.finalizers, [finalizers.clusterBinding]);
  t.notOk('namespace' in metadata || 'namespace' in spec.resource);
  t.equal(spec.workloadAffinityGroups, undefined, 'groups exist in namespaces only');
});

t.test('fields come from the policy and from the facts about the template', async t => {
  const placement = { clusterAffinity: { clusterNames: ['m1'] } };
  const rows: readonly {
    name: string;
    spec?: Partial<PropagationSpec>;
    facts?: Parameters<typeof desiredBinding>[2];
    expect: Partial<BindingSpec>;
  }[] = [
    { name: 'the placement', spec: { placement }, expect: { placement } },
    {
      name: 'replicas and requirements',
      facts: { replicas: 3, requirements: { resourceRequest: { cpu: '1' } } },
      expect: { replicas: 3, replicaRequirements: { resourceRequest: { cpu: '1' } } },
    },
    { name: 'no replicas are absent', facts: { replicas: 0 }, expect: {} },
    {
      name: 'components',
      facts: { components: [{ name: 'c', replicas: 1 }] },
      expect: { components: [{ name: 'c', replicas: 1 }] },
    },
    { name: 'a priority of 0', facts: { priority: 0 }, expect: { schedulePriority: { priority: 0 } } },
    { name: 'false and empty are absent', spec: { propagateDeps: false, schedulerName: '' }, expect: {} },
    {
      name: 'dependencies and the scheduler',
      spec: { propagateDeps: true, schedulerName: 's' },
      expect: { propagateDeps: true, schedulerName: 's' },
    },
    {
      name: 'conflicts and preservation',
      spec: { conflictResolution: 'Overwrite', preserveResourcesOnDeletion: false },
      expect: { conflictResolution: 'Overwrite', preserveResourcesOnDeletion: false },
    },
    { name: 'suspension', spec: { suspension: { dispatching: true } }, expect: { suspension: { dispatching: true } } },
  ];
  for (const { name, spec, facts = {}, expect } of rows) {
    const { resource: _, ...got } = desiredBinding(template, policy(spec), facts).spec;
    t.strictSame(got, { placement: {}, ...expect }, name);
  }
  const shared = policy({ placement });
  t.not(desiredBinding(template, shared, {}).spec.placement, shared.spec.placement, 'the placement is a copy');
});

t.test('workloads are grouped by the values of labels', async t => {
  const groups = (workloadAffinity: object) => affinityGroups(template, policy({ placement: { workloadAffinity } }));
  t.strictSame(groups({ affinity: { groupByLabelKey: 'app' } }), { affinityGroup: 'app=x' });
  t.strictSame(groups({ antiAffinity: { groupByLabelKey: 'tier' } }), { antiAffinityGroup: 'tier=y' });
  t.strictSame(groups({ affinity: { groupByLabelKey: 'app' }, antiAffinity: { groupByLabelKey: 'app' } }), {
    affinityGroup: 'app=x',
    antiAffinityGroup: 'app=x',
  });
  t.equal(groups({ affinity: { groupByLabelKey: 'none' } }), undefined, 'a label that is missing in the template');
  t.equal(groups({}), undefined);
});

t.test('an existing binding keeps the fields of other writers', async t => {
  const others: Partial<BindingSpec> = {
    clusters: [{ name: 'm1', replicas: 2 }],
    gracefulEvictionTasks: [{ fromCluster: 'm2', reason: 'r', producer: 'p' }],
    rescheduleTriggeredAt: '2026-01-01T00:00:00Z',
    suspension: { scheduling: true, dispatching: true },
  };
  const first = desiredBinding(template, policy({ schedulerName: 's', propagateDeps: true }), { replicas: 2 });
  const draft: Binding = {
    ...first,
    metadata: { ...first.metadata, finalizers: ['example.com/x'], labels: { mine: 'x' } },
    spec: { ...first.spec, ...others },
  };
  const next = policy({ placement: { clusterTolerations: [{ operator: 'Exists' }] } });
  refreshBinding(draft, desiredBinding(template, next, { replicas: 3 }), next);
  t.strictSame(draft.metadata.finalizers, ['example.com/x', finalizers.binding]);
  t.match(draft.metadata.labels, { mine: 'x', [labels.propagationPolicyId]: '1' });
  t.match(draft.spec, {
    clusters: others.clusters,
    gracefulEvictionTasks: others.gracefulEvictionTasks,
    rescheduleTriggeredAt: others.rescheduleTriggeredAt,
  });
  t.match(draft.spec, { replicas: 3, placement: { clusterTolerations: [{ operator: 'Exists' }] } });
  t.notOk(
    'schedulerName' in draft.spec || 'propagateDeps' in draft.spec,
    'what the policy does not say any more is removed',
  );
  t.strictSame(
    draft.spec.suspension,
    { scheduling: true },
    'dispatching is suspended by the policy, scheduling by others',
  );
});

t.test('suspensions of the policy and of others are merged', async t => {
  const merged = (present: BindingSpec['suspension'], wanted: PropagationSpec['suspension']) => {
    const draft = desiredBinding(template, policy(), {});
    if (present) draft.spec.suspension = present;
    const next = policy(wanted ? { suspension: wanted } : {});
    refreshBinding(draft, desiredBinding(template, next, {}), next);
    return draft.spec.suspension;
  };
  t.equal(merged(undefined, undefined), undefined);
  t.equal(merged({ dispatching: true }, undefined), undefined, 'the policy has ended its suspension');
  t.strictSame(merged({ scheduling: true }, { dispatching: true }), { dispatching: true, scheduling: true });
  t.strictSame(merged(undefined, { dispatchingOnClusters: { clusterNames: ['m1'] } }), {
    dispatchingOnClusters: { clusterNames: ['m1'] },
  });
  t.strictSame(merged(undefined, {}), {}, 'an empty suspension of the policy is kept');
});
