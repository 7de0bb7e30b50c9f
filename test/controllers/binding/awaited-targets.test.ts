/** When the replicas of a binding change, its Works are written once, with the new targets. */
import t from 'tap';
import type { Binding, BindingSpec, TargetCluster } from '../../../api/karmada/types.js';
import { AwaitedTargets } from '../../../controllers/binding/awaited-targets.js';
import { scene } from './binding-scene.js';

const divided = { replicaScheduling: { replicaSchedulingType: 'Divided' } } as const;
const binding = (generation: number, spec: Partial<BindingSpec>, schedulerObservedGeneration?: number): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { namespace: 'default', name: 'a', uid: 'u', generation },
  spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, ...spec },
  ...(schedulerObservedGeneration !== undefined && { status: { schedulerObservedGeneration } }),
});
const on = (...replicas: number[]): TargetCluster[] => replicas.map((n, i) => ({ name: `m${i}`, replicas: n }));

const table: { name: string; given: Binding; expect: number }[] = [
  {
    name: 'divided replicas that have grown',
    given: binding(3, { replicas: 4, clusters: on(1, 1), placement: divided }, 2),
    expect: 500,
  },
  {
    name: 'divided replicas that are the same',
    given: binding(3, { replicas: 2, clusters: on(1, 1), placement: divided }, 2),
    expect: 0,
  },
  {
    name: 'duplicated replicas that have grown',
    given: binding(3, { replicas: 2, clusters: on(1, 1) }, 2),
    expect: 500,
  },
  {
    name: 'duplicated replicas that are the same',
    given: binding(3, { replicas: 1, clusters: on(1, 1) }, 2),
    expect: 0,
  },
  { name: 'what the scheduler has seen', given: binding(3, { replicas: 2, clusters: on(1) }, 3), expect: 0 },
  { name: 'what no scheduler has seen before', given: binding(3, { replicas: 2, clusters: on(1) }), expect: 0 },
  {
    name: 'a suspended scheduling',
    given: binding(3, { replicas: 2, clusters: on(1), suspension: { scheduling: true } }, 2),
    expect: 0,
  },
  { name: 'no targets', given: binding(3, { replicas: 2 }, 2), expect: 0 },
  { name: 'no replicas', given: binding(3, { clusters: on(1) }, 2), expect: 0 },
];

for (const { name, given, expect } of table)
  t.test(`waits for ${expect} ms: ${name}`, t => {
    const awaited = new AwaitedTargets({ now: () => 0, sleep: () => Promise.resolve() }, () => 500);
    t.equal(awaited.leftMs(given), expect);
    t.end();
  });

t.test('a scheduler that does not answer is waited for once', t => {
  let now = 0;
  const awaited = new AwaitedTargets({ now: () => now, sleep: () => Promise.resolve() }, () => 500);
  const given = binding(3, { replicas: 2, clusters: on(1) }, 2);
  t.equal(awaited.leftMs(given), 500);
  now = 200;
  t.equal(awaited.leftMs(given), 300);
  now = 600;
  t.equal(awaited.leftMs(given), 0);
  t.equal(awaited.leftMs(binding(4, given.spec, 2)), 0, 'nor is it for another change');
  awaited.forget('default/a');
  t.equal(awaited.leftMs(binding(4, given.spec, 2)), 500, 'it is for a binding that was forgotten');
  now = 1200;
  const other = binding(4, given.spec, 2);
  t.equal(awaited.leftMs({ ...other, metadata: { ...other.metadata, uid: 'v' } }), 500, 'and for another of that name');
  t.end();
});

t.test('a binding that changes more often than the limit is waited for once, until its targets have arrived', t => {
  let now = 0;
  const awaited = new AwaitedTargets({ now: () => now, sleep: () => Promise.resolve() }, () => 500);
  const changed = (generation: number, seen = 2): Binding =>
    binding(generation, { replicas: generation, clusters: on(1) }, seen);
  const left = [3, 4, 5, 6].map(generation => {
    const ms = awaited.leftMs(changed(generation));
    now += 200;
    return ms;
  });
  t.same(left, [500, 300, 100, 0]);
  t.equal(awaited.leftMs(changed(6, 6)), 0, 'the scheduler has seen the last change');
  t.equal(awaited.leftMs(changed(7, 6)), 500, 'the next one is waited for');
  now += 600;
  t.equal(awaited.leftMs(changed(8, 6)), 0);
  const arrived = { key: 'default/a', newCached: { object: changed(8, 8) } };
  t.equal(awaited.hasArrived(arrived as Parameters<typeof awaited.hasArrived>[0]), true);
  t.equal(awaited.leftMs(changed(9, 8)), 500, 'a change right after the targets have arrived is waited for');
  t.end();
});

t.test('a Work is written when the targets have the replicas', async t => {
  const { change, has, resolutionOf } = await scene(t);
  await change('a', { replicas: 2, conflictResolution: 'Overwrite' });
  await change('b', { conflictResolution: 'Overwrite' });
  await has('b', 'overwrite');
  t.equal(await resolutionOf('a'), 'abort', 'the Work waits for the scheduler, that of another change does not');
  await change('a', { clusters: [{ name: 'm1', replicas: 2 }] });
  await has('a', 'overwrite');
});

t.test('a Work is written when the scheduler keeps the targets', async t => {
  const { change, has, resolutionOf, see } = await scene(t);
  await change('a', { replicas: 2, conflictResolution: 'Overwrite' });
  await change('b', { conflictResolution: 'Overwrite' });
  await has('b', 'overwrite');
  t.equal(await resolutionOf('a'), 'abort');
  await see('a');
  await has('a', 'overwrite');
});
