/** The steps of the reconciliation of a policy. as pkg/detector ResourceDetector.ReconcilePropagationPolicy */
import t from 'tap';
import { conflict, forbidden } from '../../../apimachinery/errors/status.js';
import type { Policy } from '../../../api/karmada/types.js';
import { finalizers, resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { claimedBy } from '../../../controllers/policy/claim.js';
import type { DetectorDeps, PolicyStep } from '../../../controllers/policy/interface.js';
import { finishDeletion, policySteps } from '../../../controllers/policy/reconcile-policy.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { withVerbs } from '../one-controller.js';
import { clusterPolicy, policy } from './detecting.js';
import { configMapKey, reconcileScene } from './reconcile-scene.js';

const { propagationPolicies, clusterPropagationPolicies, overridePolicies } = resources;
const selectorOf = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name });

/** Returns all steps for a policy that does not change meanwhile. */
async function stepsOf(policy: Policy, deps: DetectorDeps): Promise<readonly PolicyStep[]> {
  const steps: PolicyStep[] = [];
  for await (const step of policySteps(() => policy, deps)) steps.push(step);
  return steps;
}

/** Returns the policy with another spec. */
const withSpec = (policy: Policy, spec: Partial<Policy['spec']>): Policy => ({
  ...policy,
  spec: { ...policy.spec, ...spec },
});

/** Returns the policy as it is while it is being deleted. */
const terminating = (policy: Policy): Policy => ({
  ...policy,
  metadata: { ...policy.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});

/** Returns a client whose updates of ConfigMaps fail with the error that `refusal` returns, if any. */
const refusing =
  (refusal: () => Error | undefined) =>
  (client: Client): Client =>
    withVerbs(client, {
      update: (resource, ...rest) => {
        const error = resource.resource === 'configmaps' ? refusal() : undefined;
        return error ? Promise.reject(error) : client.update(resource, ...rest);
      },
    });

t.test('templates that a policy has claimed, and unclaimed ones that it selects, are woken', async t => {
  const { put, putPolicy, reconcile, deps, woken } = await reconcileScene(t);
  const claiming = await putPolicy(policy('p'));
  await put(configmaps, configMap('claimed'));
  await reconcile('claimed');
  await put(configmaps, configMap('waiting'));
  const steps = await stepsOf(claiming, deps);
  t.same(
    steps.map(({ wakes }) => wakes),
    ['claimed', 'waiting'].map(configMapKey),
  );
  t.same(woken, [], 'not before the steps are run');
  for (const step of steps) await step.run();
  for (const step of await stepsOf(withSpec(claiming, { activationPreference: 'Lazy' }), deps)) await step.run();
  t.strictSame(
    woken,
    [false, true].flatMap(isLazy => ['claimed', 'waiting'].map(name => [configMapKey(name), isLazy])),
  );
});

t.test('a template that another policy has claimed is neither woken nor released', async t => {
  const { put, putPolicy, reconcile, deps } = await reconcileScene(t);
  await putPolicy(policy('p'));
  await put(configmaps, configMap('a'));
  await reconcile('a');
  const other = await putPolicy(policy('other'));
  t.same(await stepsOf(other, deps), []);
  t.same(await stepsOf(terminating(other), deps), []);
});

t.test('a template that the policy does not select any more is released', async t => {
  const { put, putPolicy, reconcile, deps, claimOn, bindingOf, woken } = await reconcileScene(t);
  const claiming = await putPolicy(policy('p'));
  for (const name of ['a', 'b']) {
    await put(configmaps, configMap(name));
    await reconcile(name);
  }
  const steps = await stepsOf(withSpec(claiming, { resourceSelectors: [selectorOf('b')] }), deps);
  t.same(
    steps.map(({ wakes }) => wakes),
    [undefined, configMapKey('b')],
  );
  for (const step of steps) await step.run();
  t.same([await claimOn('a'), await claimOn('b')], [undefined, 'p']);
  const binding = await bindingOf('a');
  t.equal(binding && claimedBy(binding), undefined);
  t.strictSame(woken, [[configMapKey('b'), false]]);
});

t.test('a step follows from the policy as it is when the step comes', async t => {
  const { put, putPolicy, reconcile, deps } = await reconcileScene(t);
  const claiming = await putPolicy(policy('p'));
  for (const name of ['a', 'b']) {
    await put(configmaps, configMap(name));
    await reconcile(name);
  }
  let current = claiming;
  const wakes: unknown[] = [];
  for await (const step of policySteps(() => current, deps)) {
    wakes.push(step.wakes);
    current = withSpec(claiming, { resourceSelectors: [selectorOf('c')] });
  }
  t.same(wakes, [configMapKey('a'), undefined]);
});

t.test('missing overrides stop a policy only before templates that wait for it', async t => {
  const { put, putPolicy, reconcile, deps } = await reconcileScene(t);
  const claiming = await putPolicy(policy('p'));
  await put(configmaps, configMap('claimed'));
  await reconcile('claimed');
  const needy = withSpec(claiming, { dependentOverrides: ['o'] });
  t.equal((await stepsOf(needy, deps)).length, 1, 'what it has claimed is woken');
  await put(configmaps, configMap('waiting'));
  await t.rejects(stepsOf(needy, deps), { message: 'waiting for dependent overrides' });
  await put(overridePolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy' },
    ...{ metadata: { namespace: 'default', name: 'o' }, spec: { overrideRules: [] } },
  });
  t.equal((await stepsOf(needy, deps)).length, 2);
});

t.test('a policy preempts others only with the gate, and if it says so', async t => {
  for (const [preemption, says, expected] of [
    [true, 'Always', 'high'],
    [true, 'Never', 'low'],
    [false, 'Always', 'low'],
  ] as const) {
    const { put, putPolicy, reconcile, deps, claimOn } = await reconcileScene(t, { preemption });
    await putPolicy(policy('low'));
    await put(configmaps, configMap('a'));
    await reconcile('a');
    const high = await putPolicy(
      policy('high', { priority: 1, preemption: says, resourceSelectors: [selectorOf('a')] }),
    );
    for (const step of await stepsOf(high, deps)) await step.run();
    t.equal(await claimOn('a'), expected, `gate ${preemption}, ${says}`);
  }
});

t.test('a policy that is being deleted releases each template that it has claimed once', async t => {
  const { put, putPolicy, reconcile, deps, claimOn, woken, client, shown } = await reconcileScene(t);
  const claiming = await putPolicy(policy('p', { resourceSelectors: [selectorOf('a'), selectorOf('b')] }));
  for (const name of ['a', 'b', 'c']) {
    await put(configmaps, configMap(name));
    await reconcile(name);
  }
  const steps = await stepsOf(terminating(claiming), deps);
  t.equal(steps.length, 2);
  await client.delete(configmaps, { namespace: 'default', name: 'b' });
  await shown(configmaps, { namespace: 'default', name: 'b' });
  for (const step of steps) await step.run();
  t.equal(await claimOn('a'), undefined);
  t.same(woken, [], 'nothing is reconciled for it');
});

t.test('a template that cannot be released is told, unless it has only changed', async t => {
  let refusal: Error | undefined;
  const { put, putPolicy, reconcile, deps, events, claimOn } = await reconcileScene(t, {
    clientOf: refusing(() => refusal),
  });
  const claiming = await putPolicy(policy('p'));
  await put(configmaps, configMap('a'));
  await reconcile('a');
  events.length = 0;
  const [step] = await stepsOf(terminating(claiming), deps);
  if (!step) throw new Error('not reached');
  const run = async (): Promise<void> => step.run();
  refusal = conflict({ group: '', resource: 'configmaps' }, 'a');
  await t.rejects(run(), refusal);
  t.same(events, []);
  refusal = forbidden({ group: '', resource: 'configmaps' }, 'a', 'not today');
  await t.rejects(run(), refusal);
  t.same(events, [
    `CleanupPolicyFailed PropagationPolicy default/p: The deletion waits: ConfigMap default/a cannot be released: ${refusal.message}`,
  ]);
  refusal = undefined;
  await run();
  t.equal(await claimOn('a'), undefined);
});

t.test('a policy that has released its templates goes when its last finalizer does', async t => {
  const { putPolicy, deps, client, shown } = await reconcileScene(t);
  for (const [resource, object, own] of [
    [propagationPolicies, policy('p'), finalizers.propagationPolicy],
    [clusterPropagationPolicies, clusterPolicy('c'), finalizers.clusterPropagationPolicy],
  ] as const) {
    const { namespace, name = '' } = object.metadata;
    const key = { name, ...(namespace && { namespace }) };
    const created = await putPolicy({ ...object, metadata: { ...object.metadata, finalizers: ['example.com/keep'] } });
    t.ok(created.metadata.finalizers?.includes(own), `${object.kind} has the finalizer`);
    await client.delete(resource, key);
    await shown(resource, key);
    await finishDeletion((await client.get(resource, key)) as Policy, deps);
    t.same((await client.get(resource, key)).metadata.finalizers, ['example.com/keep']);
    await client.patch(resource, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    t.equal(await find(client, resource, key), undefined);
    await finishDeletion(created, deps);
  }
});
