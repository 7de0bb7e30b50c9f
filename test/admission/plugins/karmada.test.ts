import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { configmaps, refusal } from '../../registry/serve.js';

const policy = (spec: object, name = 'p'): KubeObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: 'default' },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }], ...spec },
});

t.test('policies are defaulted, completed and validated', async t => {
  const { client } = await serveCustomResources(t);
  const made = await client.create(
    resources.propagationPolicies,
    policy({ placement: { clusterAffinity: { clusterNames: [] } }, priority: 0, association: false }),
  );
  t.match(made.metadata, {
    finalizers: ['karmada.io/propagation-policy-controller'],
    labels: { 'propagationpolicy.karmada.io/permanent-id': /^[0-9a-f-]{36}$/ },
  });
  t.same(
    made['spec'],
    {
      conflictResolution: 'Abort',
      placement: { clusterAffinity: {} },
      preemption: 'Never',
      priority: 0,
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' }],
      schedulerName: 'default-scheduler',
    },
    'defaults of the schema and of the webhook, without empty fields',
  );

  const table = [
    {
      name: 'an invalid value',
      given: policy({ preemption: 'Always', resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] }, 'q'),
      expect:
        '403 Forbidden: admission webhook "propagationpolicy.karmada.io" denied the request: spec.resourceSelectors[0].name: Invalid value: "": name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption',
    },
    {
      name: 'a value that Go cannot decode',
      given: policy({ priority: 'high' }, 'q'),
      expect:
        '400 : admission webhook "propagationpolicy.karmada.io" denied the request: json: cannot unmarshal string into Go struct field PropagationSpec.spec.priority of type int32',
    },
    {
      name: "a struct in Go's format",
      given: policy({ placement: { clusterAffinities: [{ affinityName: 'x' }], clusterAffinity: {} } }, 'q'),
      expect:
        '403 Forbidden: admission webhook "propagationpolicy.karmada.io" denied the request: spec.placement: Invalid value: {"clusterAffinity":{},"clusterAffinities":[{"affinityName":"x"}]}: clusterAffinities cannot co-exist with clusterAffinity',
    },
    {
      name: 'a value that the schema refuses',
      given: policy({ activationPreference: 'Soon' }, 'q'),
      expect:
        '422 Invalid: PropagationPolicy.policy.karmada.io "q" is invalid: spec.activationPreference: Unsupported value: "Soon": supported values: "Lazy"',
    },
  ];
  for (const { name, given, expect } of table)
    t.equal(await refusal(client.create(resources.propagationPolicies, given)), expect, name);
});

t.test('protected objects', async t => {
  const { client } = await serveCustomResources(t);
  const key = { namespace: 'default', name: 'settings' };
  const labels = { 'resourcetemplate.karmada.io/deletion-protected': 'Always' };
  await client.create(configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } });
  t.equal(
    await refusal(client.delete(configmaps, key)),
    '403 Forbidden: admission webhook "resourcedeletionprotection.karmada.io" denied the request: This resource is protected, please make sure to remove the label: resourcetemplate.karmada.io/deletion-protected',
  );
  t.match(await refusal(client.deleteCollection(configmaps, { namespace: 'default' })), /^403 Forbidden/);
  await client.patch(configmaps, key, { type: 'merge', patch: { metadata: { labels: null } } });
  t.equal(await refusal(client.delete(configmaps, key)), 'allowed');
});

t.test('concurrent bindings are charged to quotas one after the other', async t => {
  const { client } = await serveCustomResources(t, { FederatedQuotaEnforcement: true });
  const binding = (name: string): KubeObject => ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { name, namespace: 'default' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'default' },
      replicaRequirements: { resourceRequest: { cpu: '500m' } },
      clusters: [{ name: 'm1', replicas: 2 }],
    },
  });
  const key = { namespace: 'default', name: 'q' };
  const used = async () =>
    ((await client.get(resources.federatedResourceQuotas, key))['status'] as { overallUsed?: unknown } | undefined)
      ?.overallUsed;
  await client.create(resources.federatedResourceQuotas, {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'FederatedResourceQuota',
    metadata: { ...key },
    spec: { overall: { cpu: '3' } },
  });
  await client.create(resources.resourceBindings, binding('trial'), { dryRun: true });
  t.equal(await used(), undefined, 'a dry run charges nothing');
  await Promise.all(['a', 'b', 'c'].map(name => client.create(resources.resourceBindings, binding(name))));
  t.same(await used(), { cpu: '3' });
  t.equal(
    await refusal(client.create(resources.resourceBindings, binding('d'))),
    '403 QuotaExceeded: admission webhook "resourcebinding.karmada.io" denied the request: FederatedResourceQuota(default/q) exceeded for resource cpu: requested sum 4, limit 3.',
  );
  const fewer = { spec: { clusters: [{ name: 'm1', replicas: 1 }] } };
  await client.patch(resources.resourceBindings, { namespace: 'default', name: 'a' }, { type: 'merge', patch: fewer });
  t.same(await used(), { cpu: '2500m' }, 'fewer replicas release quota');
});

t.test('bindings in v1alpha1', async t => {
  const { client } = await serveCustomResources(t);
  const old = { ...resources.resourceBindings, version: 'v1alpha1' };
  const key = { namespace: 'default', name: 'web-deployment' };
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
  await client.create(old, {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'ResourceBinding',
    metadata: { ...key },
    spec: {
      resource: { ...resource, replicas: 3, resourcePerReplicas: { cpu: '1' } },
      clusters: [{ name: 'm1', replicas: 3 }],
    },
  });
  const stored = await client.get(resources.resourceBindings, key);
  t.match(stored.metadata.labels, { 'resourcebinding.karmada.io/permanent-id': String });
  t.match(stored['spec'], {
    resource,
    replicas: 3,
    replicaRequirements: { resourceRequest: { cpu: '1' } },
    clusters: [{ name: 'm1', replicas: 3 }],
  });
  const shown = await client.get(old, key);
  t.equal(shown.apiVersion, 'work.karmada.io/v1alpha1');
  t.same(shown['spec'], {
    clusters: [{ name: 'm1', replicas: 3 }],
    resource: { ...resource, replicas: 3, resourcePerReplicas: { cpu: '1' } },
  });
});
