/** One reconciliation of a template. as pkg/detector ResourceDetector.propagateResource and ApplyPolicy */
import t from 'tap';
import { alreadyExists, forbidden } from '../../../apimachinery/errors/status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding, PropagationSpec } from '../../../api/karmada/types.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { priorityClasses } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { NotYet } from '../../../client/runtime/controller.js';
import { claimedBy } from '../../../controllers/policy/claim.js';
import { reconcileTemplate } from '../../../controllers/policy/reconcile-template.js';
import { templateKey } from '../../../controllers/policy/templates.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { withVerbs } from '../one-controller.js';
import { clusterPolicy, policy } from './detecting.js';
import { configMapKey, reconcileScene } from './reconcile-scene.js';

const { propagationPolicies, clusterPropagationPolicies, resourceBindings, clusterResourceBindings } = resources;
const a = { namespace: 'default', name: 'a' };
const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const viewer: KubeObject = {
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'viewer' }, rules: [] },
};
const viewerSelector = { apiVersion: viewer.apiVersion, kind: viewer.kind, name: 'viewer' };
const viewerKey = templateKey(viewerSelector);

const placedIn = (name: string): Partial<PropagationSpec> => ({
  placement: { clusterAffinity: { clusterNames: [name] } },
});

/** Returns what a reconciliation waits for; undefined if it waits for nothing. */
async function waitOf(reconciling: Promise<void>): Promise<string | undefined> {
  try {
    await reconciling;
    return undefined;
  } catch (error) {
    if (error instanceof NotYet) return error.message;
    throw error;
  }
}

/** Returns a client whose creations of bindings fail with this error. */
const refusingBindings =
  (error: Error) =>
  (client: Client): Client =>
    withVerbs(client, {
      create: (resource, ...rest) =>
        resource.resource === 'resourcebindings' ? Promise.reject(error) : client.create(resource, ...rest),
    });

t.test('a template that no policy selects stays as it is', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, events } = await reconcileScene(t);
  await putPolicy(policy('p', { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'b' }] }));
  await put(configmaps, configMap('a'));
  await reconcile('a');
  t.equal(await claimOn('a'), undefined);
  t.equal(await bindingOf('a'), undefined);
  t.same(events, []);
  await reconcile('absent');
});

t.test('the policy of the namespace comes before that of the cluster, which comes next', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, events, deps } = await reconcileScene(t);
  await putPolicy(clusterPolicy('c', { priority: 9 }));
  await put(configmaps, configMap('a'));
  await put(configmaps, configMap('b'));
  await reconcile('b');
  await putPolicy(policy('p'));
  await reconcile('a');
  t.equal(await claimOn('a'), 'p');
  t.equal(await claimOn('b'), 'c');
  const template = await deps.context.client.get(configmaps, a);
  t.match(await bindingOf('a'), {
    metadata: { ownerReferences: [{ uid: template.metadata.uid, controller: true }] },
    spec: { resource: { kind: 'ConfigMap', ...a }, placement: { clusterAffinity: { clusterNames: ['m1'] } } },
  });
  t.same(events, [
    'ApplyPolicySucceed ConfigMap default/b: Apply cluster policy(c) succeed',
    'ApplyPolicySucceed ConfigMap default/a: Apply policy(default/p) succeed',
  ]);
});

t.test('a cluster-scoped template gets a ClusterResourceBinding, and only from a cluster policy', async t => {
  const { put, putPolicy, client, deps } = await reconcileScene(t);
  const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'none' };
  const selected = { resourceSelectors: [viewerSelector], schedulePriority };
  await put(clusterRoles, viewer);
  await putPolicy(policy('p', selected));
  await reconcileTemplate(viewerKey, false, deps);
  t.equal(claimedBy(await client.get(clusterRoles, { name: 'viewer' })), undefined);
  await putPolicy(clusterPolicy('c', selected));
  await reconcileTemplate(viewerKey, false, deps);
  const binding = (await find(client, clusterResourceBindings, { name: 'viewer-clusterrole' })) as Binding | undefined;
  t.match(binding?.spec.resource, { kind: 'ClusterRole', name: 'viewer' });
  t.equal(binding?.spec.schedulePriority, undefined, 'it has no priority');
});

t.test('a template that is being deleted, or that another system has claimed, is left alone', async t => {
  const { client, put, putPolicy, reconcile, claimOn, shown } = await reconcileScene(t);
  await putPolicy(policy('p'));
  await put(configmaps, configMap('a', { metadata: { finalizers: ['example.com/keep'] } }));
  await client.delete(configmaps, a);
  await shown(configmaps, a);
  await put(configmaps, configMap('b', { metadata: { labels: { [labels.claimedBy]: 'system' } } }));
  for (const name of ['a', 'b']) {
    await reconcile(name);
    t.equal(await claimOn(name), undefined, name);
  }
});

t.test('a policy that has claimed a template is applied though a better one exists', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, client, shown } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p'));
  await reconcile('a');
  await putPolicy(policy('better', { ...placedIn('m2'), priority: 9 }));
  await client.patch(propagationPolicies, { ...a, name: 'p' }, { type: 'merge', patch: { spec: placedIn('m3') } });
  await shown(propagationPolicies, { ...a, name: 'p' });
  await reconcile('a');
  t.equal(await claimOn('a'), 'p');
  t.same((await bindingOf('a'))?.spec.placement?.clusterAffinity?.clusterNames, ['m3']);
});

t.test('a claim of a policy that does not exist is removed from the template and its binding', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, client, shown } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(clusterPolicy('c'));
  await reconcile('a');
  const key = { name: 'c' };
  const patch = { metadata: { finalizers: null } };
  await client.patch(clusterPropagationPolicies, key, { type: 'merge', patch });
  await client.delete(clusterPropagationPolicies, key);
  await shown(clusterPropagationPolicies, key);
  await reconcile('a');
  t.equal(await claimOn('a'), undefined);
  const binding = await bindingOf('a');
  t.ok(binding, 'the binding stays');
  t.equal(binding && claimedBy(binding), undefined);
});

t.test('a template waits while its policy is being deleted', async t => {
  const { put, putPolicy, reconcile, client, shown } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p'));
  await reconcile('a');
  await client.delete(propagationPolicies, { ...a, name: 'p' });
  await shown(propagationPolicies, { ...a, name: 'p' });
  t.equal(await waitOf(reconcile('a')), 'policy(default/p) is being deleted');
});

t.test('the policy releases what it does not select any more, and not the template itself', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, client, shown } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p'));
  await reconcile('a');
  const resourceSelectors = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'b' }];
  const patch = { spec: { resourceSelectors, ...placedIn('m2') } };
  await client.patch(propagationPolicies, { ...a, name: 'p' }, { type: 'merge', patch });
  await shown(propagationPolicies, { ...a, name: 'p' });
  await reconcile('a');
  t.equal(await claimOn('a'), 'p');
  t.same((await bindingOf('a'))?.spec.placement?.clusterAffinity?.clusterNames, ['m1'], 'it is not applied either');
});

t.test('a template waits for the overrides of its policy, which are of the same scope', async t => {
  const { put, putPolicy, reconcile, claimOn, client, deps, shown } = await reconcileScene(t);
  const override = (kind: string, namespace?: string): KubeObject => ({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata: { name: 'o', ...(namespace && { namespace }) } },
    spec: { overrideRules: [] },
  });
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p', { dependentOverrides: ['o'] }));
  await put(resources.clusterOverridePolicies, override('ClusterOverridePolicy'));
  t.equal(await waitOf(reconcile('a')), 'waiting for dependent overrides');
  t.equal(await claimOn('a'), undefined);
  await put(resources.overridePolicies, override('OverridePolicy', 'default'));
  await reconcile('a');
  t.equal(await claimOn('a'), 'p');
  await put(clusterRoles, viewer);
  await putPolicy(clusterPolicy('c', { resourceSelectors: [viewerSelector], dependentOverrides: ['o', 'absent'] }));
  t.equal(await waitOf(reconcileTemplate(viewerKey, false, deps)), 'waiting for dependent overrides', 'of one');
  const patch = { spec: { dependentOverrides: ['o'] } };
  await client.patch(clusterPropagationPolicies, { name: 'c' }, { type: 'merge', patch });
  await shown(clusterPropagationPolicies, { name: 'c' });
  await reconcileTemplate(viewerKey, false, deps);
  t.equal(claimedBy(await client.get(clusterRoles, { name: 'viewer' }))?.name, 'c');
});

t.test('a lazy policy claims a template when it changes, and is applied when the template changes', async t => {
  const { put, putPolicy, reconcile, claimOn, bindingOf, events } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p', { activationPreference: 'Lazy' }));
  await reconcile('a', true);
  t.equal(await claimOn('a'), 'p');
  t.equal(await bindingOf('a'), undefined);
  t.same(events, []);
  await reconcile('a');
  t.ok(await bindingOf('a'));
});

t.test('a binding that is as it should be is not written', async t => {
  const { put, putPolicy, reconcile, bindingOf, events } = await reconcileScene(t);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p'));
  await reconcile('a', true);
  const before = await bindingOf('a');
  await reconcile('a');
  t.equal((await bindingOf('a'))?.metadata.resourceVersion, before?.metadata.resourceVersion);
  t.equal(events.length, 1, 'the first time');
});

t.test('the binding of a deleted template of the same name must be gone first', async t => {
  const { put, putPolicy, reconcile, bindingOf, events, deps } = await reconcileScene(t);
  await putPolicy(policy('p'));
  await put(configmaps, configMap('a'));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'gone', controller: true };
  await put(resourceBindings, {
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
    metadata: { namespace: 'default', name: 'a-configmap', ownerReferences: [owner] },
    spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', ...a } },
  });
  t.match(await waitOf(reconcile('a')), /different owner reference UID/);
  t.equal((await bindingOf('a'))?.spec.placement, undefined);
  t.same(events, [], 'a retry will succeed');
  t.equal(deps.claiming.size, 0);
});

t.test('a failure is recorded with the template, unless a retry will most likely succeed', async t => {
  const refusal = forbidden({ group: '', resource: 'resourcebindings' }, 'a-configmap', 'not today');
  for (const [error, expected] of [
    [refusal, [`ApplyPolicyFailed ConfigMap default/a: Apply policy(default/p) failed: ${refusal.message}`]],
    [alreadyExists({ group: '', resource: 'resourcebindings' }, 'a-configmap'), []],
  ] as const) {
    const { put, putPolicy, reconcile, events, claimOn, deps } = await reconcileScene(t, {
      clientOf: refusingBindings(error),
    });
    await putPolicy(policy('p'));
    await put(configmaps, configMap('a'));
    await t.rejects(reconcile('a'), error);
    t.same(events, expected);
    t.equal(await claimOn('a'), 'p', 'the claim was written before');
    t.equal(deps.claiming.size, 0);
  }
});

t.test('the claim that is being written is known until the binding is written', async t => {
  const known: unknown[] = [];
  let claims: ReadonlyMap<string, { readonly name: string }> = new Map();
  const clientOf = (client: Client): Client =>
    withVerbs(client, {
      create: (resource, ...rest) => {
        if (resource.resource === 'resourcebindings') known.push(claims.get(configMapKey('a'))?.name);
        return client.create(resource, ...rest);
      },
    });
  const { put, putPolicy, reconcile, deps } = await reconcileScene(t, { clientOf });
  claims = deps.claiming;
  await putPolicy(policy('p'));
  await put(configmaps, configMap('a'));
  await reconcile('a');
  t.same(known, ['p']);
  t.equal(claims.size, 0);
});

t.test('the priority of a binding is that of the PriorityClass of its policy', async t => {
  const { client, put, putPolicy, reconcile, bindingOf, events, shown } = await reconcileScene(t);
  const high = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 7 };
  await put(priorityClasses, high);
  await put(configmaps, configMap('a'));
  await putPolicy(policy('p'));
  const use = async (priorityClassName: string): Promise<void> => {
    const patch = { spec: { schedulePriority: { priorityClassSource: 'KubePriorityClass', priorityClassName } } };
    await client.patch(propagationPolicies, { ...a, name: 'p' }, { type: 'merge', patch });
    await shown(propagationPolicies, { ...a, name: 'p' });
  };
  await use('none');
  const message = 'PriorityClass.scheduling.k8s.io "none" not found';
  await t.rejects(reconcile('a'), { message });
  t.same(events.splice(0), [`ApplyPolicyFailed ConfigMap default/a: Apply policy(default/p) failed: ${message}`]);
  await use('high');
  await reconcile('a');
  t.strictSame((await bindingOf('a'))?.spec.schedulePriority, { priority: 7 });
});

t.test('without the gate the priority is not read', async t => {
  const { put, putPolicy, reconcile, bindingOf } = await reconcileScene(t, {
    gates: featureGates({ PriorityBasedScheduling: false }),
  });
  await put(configmaps, configMap('a'));
  const schedulePriority = { priorityClassSource: 'KubePriorityClass', priorityClassName: 'none' };
  await putPolicy(policy('p', { schedulePriority }));
  await reconcile('a');
  t.equal((await bindingOf('a'))?.spec.schedulePriority, undefined);
  t.ok(await bindingOf('a'));
});
