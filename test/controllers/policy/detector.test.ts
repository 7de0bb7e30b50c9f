/** Policies claim templates, and templates get bindings. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { claimedBy } from '../../../controllers/policy/claim.js';
import { configMap, configmaps, deployment, deployments, namespaces } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { clusterPolicy, detecting, policy } from './detecting.js';

const { propagationPolicies, clusterPropagationPolicies, overridePolicies } = resources;
const a = { namespace: 'default', name: 'a' };
const placement = { clusterAffinity: { clusterNames: ['m1'] } };
const selector = { apiVersion: 'v1', kind: 'ConfigMap' };

t.test('a template is claimed by the policy that selects it, and gets a binding', async t => {
  const { client, claimed, bindingOf } = await detecting(t);
  await client.create(propagationPolicies, policy('p'));
  await client.create(configmaps, configMap('a'));
  await claimed('p');
  await until('a binding', async () => (await bindingOf('ConfigMap', a)) !== undefined);
  const binding = await bindingOf('ConfigMap', a);
  t.match(binding, { spec: { resource: { kind: 'ConfigMap', name: 'a' }, placement } });
  t.same(claimedBy(binding as KubeObject), claimedBy(await client.get(configmaps, a)));
});

t.test('a change of the template changes the binding', async t => {
  const { client, bindingOf } = await detecting(t);
  await client.create(
    propagationPolicies,
    policy('p', { resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] }),
  );
  await client.create(deployments, deployment('a', 2));
  await until('two replicas', async () => (await bindingOf('Deployment', a))?.spec.replicas === 2);
  await client.patch(deployments, a, { type: 'merge', patch: { spec: { replicas: 5 } } });
  await until('five replicas', async () => (await bindingOf('Deployment', a))?.spec.replicas === 5);
});

t.test('a change of the policy changes the binding, unless the policy is lazy', async t => {
  const { client, claimed, bindingOf } = await detecting(t);
  const other = { clusterAffinity: { clusterNames: ['m2'] } };
  const names = async (key: typeof a) =>
    (await bindingOf('ConfigMap', key))?.spec.placement?.clusterAffinity?.clusterNames?.[0];
  const lazy = { ...a, name: 'lazy' };
  await client.create(propagationPolicies, policy('p', { resourceSelectors: [{ ...selector, name: 'a' }] }));
  await client.create(
    propagationPolicies,
    policy('q', { resourceSelectors: [{ ...selector, name: 'lazy' }], activationPreference: 'Lazy' }),
  );
  for (const { name } of [a, lazy]) await client.create(configmaps, configMap(name));
  await claimed('p');
  await claimed('q', lazy);
  for (const key of [a, lazy]) await until('a binding', async () => (await names(key)) === 'm1');
  const patch = { spec: { placement: other } };
  for (const name of ['q', 'p']) await client.patch(propagationPolicies, { ...a, name }, { type: 'merge', patch });
  await until('the new placement', async () => (await names(a)) === 'm2');
  t.equal(await names(lazy), 'm1', 'the lazy policy changed first, and its binding did not');
  await client.patch(configmaps, lazy, { type: 'merge', patch: { data: { k: 'v' } } });
  await until('the new placement after a change of the template', async () => (await names(lazy)) === 'm2');
});

t.test('the policy of the namespace comes before that of the cluster', async t => {
  const { client, claimed } = await detecting(t);
  await client.create(clusterPropagationPolicies, clusterPolicy('c', { priority: 9 }));
  await client.create(propagationPolicies, policy('p'));
  await client.create(configmaps, configMap('a'));
  await claimed('p');
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
  await client.create(configmaps, configMap('a', {}, 'other'));
  await claimed('c', { namespace: 'other', name: 'a' });
});

t.test('a policy that may preempt takes templates from one of lower priority', async t => {
  const { client, claimed } = await detecting(t, { preemption: true });
  await client.create(propagationPolicies, policy('low', { priority: 1 }));
  await client.create(configmaps, configMap('a'));
  await claimed('low');
  await client.create(
    propagationPolicies,
    policy('high', { priority: 2, preemption: 'Always', resourceSelectors: [{ ...selector, name: 'a' }] }),
  );
  await claimed('high');
});

t.test('a template that its policy no longer selects is released', async t => {
  const { client, claimed, bindingOf } = await detecting(t);
  await client.create(propagationPolicies, policy('p'));
  await client.create(configmaps, configMap('a'));
  await claimed('p');
  await until('a binding', async () => (await bindingOf('ConfigMap', a)) !== undefined);
  const patch = { spec: { resourceSelectors: [{ ...selector, name: 'b' }] } };
  await client.patch(propagationPolicies, { ...a, name: 'p' }, { type: 'merge', patch });
  await claimed('');
  const binding = await bindingOf('ConfigMap', a);
  t.ok(binding, 'the binding stays');
  t.equal(binding && claimedBy(binding), undefined, 'without the claim of the policy');
});

t.test('templates of skipped namespaces are not claimed', async t => {
  const { client, claimed } = await detecting(t);
  await client.create(clusterPropagationPolicies, clusterPolicy('c'));
  for (const namespace of ['skipped', 'karmada-system', 'after']) {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await client.create(configmaps, configMap('a', {}, namespace));
  }
  await claimed('c', { namespace: 'after', name: 'a' });
  for (const namespace of ['skipped', 'karmada-system'])
    t.equal(claimedBy(await client.get(configmaps, { namespace, name: 'a' })), undefined, namespace);
});

t.test('a policy waits for the overrides that it depends on', async t => {
  const { client, claimed, bindingOf } = await detecting(t);
  await client.create(propagationPolicies, policy('p', { dependentOverrides: ['o'] }));
  await client.create(propagationPolicies, policy('q', { resourceSelectors: [{ ...selector, name: 'b' }] }));
  await client.create(configmaps, configMap('a'));
  await client.create(configmaps, configMap('b'));
  await claimed('q', { ...a, name: 'b' });
  t.equal(await bindingOf('ConfigMap', a), undefined);
  await client.create(overridePolicies, {
    ...{
      apiVersion: 'policy.karmada.io/v1alpha1',
      kind: 'OverridePolicy',
      metadata: { namespace: 'default', name: 'o' },
    },
    spec: { overrideRules: [] },
  });
  await claimed('p');
});

t.test('a priority class that does not exist is told', async t => {
  const { client, told, bindingOf } = await detecting(t);
  const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'none' } as const;
  await client.create(propagationPolicies, policy('p', { schedulePriority }));
  await client.create(configmaps, configMap('a'));
  await told('ApplyPolicyFailed', 'Apply policy(default/p) failed: PriorityClass.scheduling.k8s.io "none" not found');
  t.equal(await bindingOf('ConfigMap', a), undefined);
});

t.test('feature gates decide what a binding has', async t => {
  const placed = { ...placement, workloadAffinity: { affinity: { groupByLabelKey: 'app' } } };
  const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'high' } as const;
  const selected = [{ apiVersion: 'apps/v1', kind: 'Deployment' }];
  const bindingWith = async (switched: Readonly<Record<string, boolean>>) => {
    const { client, bindingOf } = await detecting(t, { gates: featureGates(switched) });
    const classes = { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' };
    const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 7 };
    await client.create(classes, high);
    const spec = { placement: placed, schedulePriority, resourceSelectors: selected };
    await client.create(propagationPolicies, policy('p', spec));
    const plain = deployment('web') as KubeObject & { spec: { template: { spec: object } } };
    const podSpec = { ...plain.spec.template.spec, priorityClassName: 'high', nodeSelector: { disk: 'ssd' } };
    const template = { ...plain.spec.template, spec: podSpec };
    const metadata = { ...plain.metadata, labels: { app: 'web' } };
    await client.create(deployments, { ...plain, metadata, spec: { ...plain.spec, template } });
    const key = { namespace: 'default', name: 'web' };
    await until('the Deployment has a binding', async () => (await bindingOf('Deployment', key)) !== undefined);
    const {
      replicaRequirements,
      schedulePriority: priority,
      workloadAffinityGroups,
    } = (await bindingOf('Deployment', key))?.spec ?? {};
    return { replicaRequirements, priority, workloadAffinityGroups };
  };
  const nodeClaim = { nodeSelector: { disk: 'ssd' } };
  t.strictSame(await bindingWith({}), {
    ...{ replicaRequirements: { nodeClaim }, priority: { priority: 7 } },
    workloadAffinityGroups: undefined,
  });
  const others = { PriorityBasedScheduling: false, ResourceQuotaEstimate: true, WorkloadAffinity: true };
  t.strictSame(await bindingWith(others), {
    replicaRequirements: { nodeClaim, namespace: 'default', priorityClassName: 'high' },
    ...{ priority: undefined, workloadAffinityGroups: { affinityGroup: 'app=web' } },
  });
});
