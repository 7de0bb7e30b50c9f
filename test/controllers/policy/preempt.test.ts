import t from 'tap';
import { claimOf } from '../../../controllers/policy/claim.js';
import { mayPreempt, successors } from '../../../controllers/policy/preempt.js';
import type { Policy, PropagationSpec } from '../../../api/karmada/types.js';

const policy = (name: string, priority: number, spec: Partial<PropagationSpec> = {}): Policy => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace: 'n', name },
  spec: { resourceSelectors: [], priority, ...spec },
});

const clusterPolicy = (name: string, priority: number): Policy => ({
  ...policy(name, priority),
  kind: 'ClusterPropagationPolicy',
  metadata: { name },
});

t.test('a policy preempts another one by priority', async t => {
  const cases: { name: string; given: [Policy, Policy | undefined]; gone?: true; expect: boolean }[] = [
    { name: 'no claim', given: [policy('a', 1), undefined], expect: false },
    { name: 'its own claim', given: [policy('a', 1), policy('a', 0)], expect: false },
    { name: 'a higher priority', given: [policy('a', 2), policy('b', 1)], expect: true },
    { name: 'equal', given: [policy('a', 1), policy('b', 1)], expect: false },
    { name: 'the claiming policy does not exist', given: [policy('a', 2), policy('b', 1)], gone: true, expect: false },
    { name: 'a cluster policy of any priority', given: [policy('a', 0), clusterPolicy('b', 9)], expect: true },
    {
      name: 'a cluster policy does not preempt a policy',
      given: [clusterPolicy('a', 9), policy('b', 0)],
      expect: false,
    },
    {
      name: 'a cluster policy of higher priority',
      given: [clusterPolicy('a', 2), clusterPolicy('b', 1)],
      expect: true,
    },
  ];
  for (const { name, given, gone, expect } of cases) {
    const [taker, holder] = given;
    t.equal(mayPreempt(taker, holder && claimOf(holder), gone ? undefined : holder), expect, name);
  }
});

t.test('after a policy lowers its priority, others may preempt it', async t => {
  const always = { preemption: 'Always' } as const;
  const others = [
    policy('three', 3, always),
    policy('four', 4, always),
    policy('shy', 3),
    policy('as high as before', 5, always),
    policy('as low as now', 2, always),
  ];
  const found = successors(policy('p', 5), policy('p', 2), others).map(({ metadata }) => metadata.name);
  t.same(found, ['four', 'three']);
  t.same(successors(policy('p', 2), policy('p', 5), others), [], 'none if it was raised');
});
