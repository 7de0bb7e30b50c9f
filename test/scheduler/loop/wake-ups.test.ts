/** Bindings that could not be placed are scheduled when something happens that helps, not after minutes. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster } from '../../../api/karmada/types.js';
import { events } from '../../../api/kubernetes/resources.js';
import { labels, resources } from '../../../api/karmada/well-known.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { generalEstimator } from '../../../scheduler/estimate/general.js';
import type { Committed } from '../../../scheduler/loop/commit.js';
import { helpFor, roomChecker, roomClassOf } from '../../../scheduler/loop/help.js';
import { type Help, WakeUps } from '../../../scheduler/loop/wake-ups.js';
import { plugins } from '../../../scheduler/plugins/plugins.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { comesAbout } from '../../controllers/control-plane.js';
import { steppedClock } from '../../lib/clock.js';
import { until } from '../../storage/until.js';
import { turnsDuring } from '../../turns.js';
import { binding, cluster } from '../objects.js';

const apiEnablements = [{ groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] }];

async function reportRoom({ client }: TestServer, name: string, cpu: string): Promise<void> {
  const status = { apiEnablements, resourceSummary: { allocatable: { cpu, pods: '100' } } };
  const change = { type: 'merge', patch: { status } } as const;
  await client.patch(resources.clusters, { name }, change, { subresource: 'status' });
}

async function join({ client }: TestServer, name: string): Promise<void> {
  const spec = { syncMode: 'Push', apiEndpoint: `https://${name}.example.com` };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', name, { spec }));
}

const place = ({ client }: TestServer, name: string, spec: Partial<BindingSpec>) =>
  client.create(
    resources.resourceBindings,
    object('work.karmada.io/v1alpha2', 'ResourceBinding', name, {
      metadata: { namespace: 'default', labels: { [labels.propagationPolicyId]: name } },
      spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name }, ...spec },
    }),
  );

const comes = (server: TestServer, name: string, holds: (binding: Binding) => boolean) =>
  comesAbout(server, resources.resourceBindings, { namespace: 'default', name }, found => holds(found as Binding));

const reasonOf = ({ status }: Binding): string | undefined => findCondition(status?.conditions, 'Scheduled')?.reason;
const namesOf = ({ spec }: Binding): string => (spec.clusters ?? []).map(({ name }) => name).join();

t.test('more room in a cluster', async t => {
  // What does not fit is tried again after five minutes.
  const gates = featureGates({ PriorityBasedScheduling: true });
  const server = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  await join(server, 'm1');
  await reportRoom(server, 'm1', '2');
  await place(server, 'large', {
    replicas: 4,
    replicaRequirements: { resourceRequest: { cpu: '1' } },
    placement: { replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' } },
  });
  await comes(server, 'large', found => reasonOf(found) === 'Unschedulable');
  await until('an Event of the binding and one of the template tell what it waits for', async () => {
    const { items } = await server.client.list(events, { namespace: 'default' });
    const found = items.filter(event => event['reason'] === 'SchedulingExplained');
    return (
      found.length === 2 &&
      found.every(event => event['message'] === 'The scheduler waits for room in clusters, or a change of the policy.')
    );
  });
  await reportRoom(server, 'm1', '10');
  await comes(server, 'large', found => namesOf(found) === 'm1' && reasonOf(found) === 'Success');
});

t.test('a member of its anti-affinity group that leaves', async t => {
  const gates = featureGates({ WorkloadAffinity: true });
  const server = await runningServer(t, { profile: 'karmada', parts: [scheduler()], featureGates: gates });
  await join(server, 'm1');
  await reportRoom(server, 'm1', '2');
  const group: Partial<BindingSpec> = {
    placement: { workloadAffinity: { antiAffinity: { groupByLabelKey: 'app' } } },
    workloadAffinityGroups: { antiAffinityGroup: 'app=x' },
  };
  await place(server, 'first', group);
  await comes(server, 'first', found => namesOf(found) === 'm1');
  await place(server, 'second', group);
  await comes(server, 'second', found => reasonOf(found) === 'NoClusterFit');
  await server.client.delete(resources.resourceBindings, { namespace: 'default', name: 'first' });
  await comes(server, 'second', found => namesOf(found) === 'm1');
});

const withCpu = (name: string, cpu: string): Cluster => ({
  ...cluster(name),
  status: { apiEnablements, resourceSummary: { allocatable: { cpu, pods: '100' } } },
});

function wakeUpsOf(bindings: readonly Binding[]) {
  const clock = steppedClock();
  const clusters = new Map<string, Cluster>();
  const woken: string[] = [];
  const stop = new AbortController();
  const counted = { looks: 0 };
  const check = roomChecker(plugins, [generalEstimator]);
  const wakeUps = new WakeUps({
    clock,
    get: key => bindings.find(({ metadata }) => metadata.name === key),
    cluster: name => clusters.get(name),
    hasMoreRoom: (...args) => {
      counted.looks++;
      return check(...args);
    },
    roomClassOf,
    found: ({ metadata }, help) => void woken.push(`${metadata.name} ${help}`),
    signal: stop.signal,
  });
  /** Reports the room of a cluster. */
  const report = (name: string, cpu: string): void => {
    const before = clusters.get(name)?.status?.resourceSummary;
    clusters.set(name, withCpu(name, cpu));
    wakeUps.clusterChanged(name, before);
  };
  /** Lets time pass, and what waits for it run. */
  const pass = async (seconds: number): Promise<string[]> => {
    for (let i = 0; i < seconds; i++) {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      clock.advance(1000);
    }
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    return woken.splice(0);
  };
  return { wakeUps, report, pass, woken, stop, counted };
}

const needing = (name: string, cpu: string, more: Partial<BindingSpec> = {}): Binding =>
  binding({ replicas: 1, replicaRequirements: { resourceRequest: { cpu } }, ...more }, {}, { name });

t.test('room wakes what it helps, and less and less often', async t => {
  const elsewhere = needing('elsewhere', '1', { placement: { clusterAffinity: { clusterNames: ['m2'] } } });
  const { wakeUps, report, pass } = wakeUpsOf([needing('small', '1'), needing('large', '100'), elsewhere]);
  t.ok(wakeUps.isIdle);
  report('m1', '1');
  for (const key of ['small', 'large', 'elsewhere', 'gone']) wakeUps.waits(key, ['room']);
  report('m1', '5');
  t.same(await pass(2), ['small room']);
  report('m1', '3');
  t.same(await pass(10), [], 'less room');
  wakeUps.waits('small', ['room']);
  let wakes = 0;
  for (let i = 0; i < 60; i++) {
    report('m1', i % 2 ? '3' : '5');
    const woken = await pass(1);
    wakes += woken.length;
    if (woken.length > 0) wakeUps.waits('small', ['room']);
  }
  t.ok(wakes >= 3 && wakes <= 6, `${wakes} wake-ups in a minute`);
  for (const key of ['small', 'large', 'elsewhere', 'gone']) wakeUps.forget(key);
  t.ok(wakeUps.isIdle);
});

t.test('help that comes during a decision is not lost', async t => {
  const { wakeUps, report, pass } = wakeUpsOf([needing('small', '1')]);
  report('m1', '0');
  wakeUps.began('small', needing('small', '1'));
  report('m1', '5');
  wakeUps.waits('small', ['room']);
  wakeUps.ended('small');
  t.same(await pass(3), ['small room']);
});

t.test('quotas and peers wake those that wait for them', t => {
  const { wakeUps, woken } = wakeUpsOf([needing('a', '1'), needing('b', '1')]);
  wakeUps.waits('a', ['quota']);
  wakeUps.waits('b', ['peers']);
  t.same([...wakeUps.waitingFor('quota')], ['a']);
  wakeUps.happened('quota', ['a', 'b', 'c']);
  wakeUps.happened('peers', ['a', 'b', 'c']);
  t.same(woken, ['a quota', 'b peers']);
  t.end();
});

t.test('clusters are looked at once for all bindings that ask the same of them', async t => {
  const few = [needing('small', '1'), needing('placed', '1', { clusters: [{ name: 'm1' }] })];
  const many = Array.from({ length: 300 }, (_, i) => needing(`b${i}`, '1000'));
  const { wakeUps, report, pass, counted } = wakeUpsOf([...few, ...many]);
  for (let i = 0; i < 50; i++) report(`m${i}`, '1');
  for (const { metadata } of [...few, ...many]) wakeUps.waits(metadata.name ?? '', ['room']);
  counted.looks = 0;
  for (let i = 0; i < 50; i++) report(`m${i}`, '2');
  t.same(await pass(2), ['small room', 'placed room']);
  t.equal(counted.looks, 50 + 2, 'one class in all clusters, and two that find room in the first');
});

t.test('what decides about the room of a binding', t => {
  const classOf = (spec: Partial<BindingSpec>): string | undefined => roomClassOf(needing('x', '1', spec));
  t.equal(classOf({ replicas: 1 }), classOf({ replicas: 7 }));
  t.not(classOf({}), classOf({ placement: { clusterAffinity: { clusterNames: ['m1'] } } }));
  t.not(classOf({}), classOf({ replicaRequirements: { resourceRequest: { cpu: '2' } } }));
  t.not(classOf({}), classOf({ components: [{ name: 'c', replicas: 1 }] }));
  t.equal(classOf({ clusters: [{ name: 'm1' }] }), undefined);
  const clusterNames = Array.from({ length: 2000 }, (_, i) => `cluster-${i}`);
  t.equal(classOf({ placement: { clusterAffinity: { clusterNames } } }), undefined, 'a long placement');
  t.end();
});

t.test('a long placement is not read to its end for its class', t => {
  let reads = 0;
  const names = Array.from({ length: 100_000 }, (_, i) => `cluster-${i}`);
  const clusterNames = new Proxy(names, {
    get(target, key, receiver) {
      reads++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  t.equal(roomClassOf(needing('x', '1', { placement: { clusterAffinity: { clusterNames } } })), undefined);
  t.ok(reads < 10_000, `${reads} reads`);
  const quotes = { clusterAffinity: { clusterNames: ['"'.repeat(10_000)] } };
  t.equal(roomClassOf(needing('x', '1', { placement: quotes })), undefined, 'escapes count');
  t.end();
});

t.test('many changes do not hold the event loop', async t => {
  const bindings = Array.from({ length: 200 }, (_, i) => needing(`b${i}`, '1000'));
  const { wakeUps, report, pass } = wakeUpsOf(bindings);
  for (let i = 0; i < 2000; i++) report(`m${i}`, '1');
  for (const { metadata } of bindings) wakeUps.waits(metadata.name ?? '', ['room']);
  const longestWith = async (cpu: string): Promise<number> => {
    const { longest } = await turnsDuring(async () => {
      for (let i = 0; i < 2000; i++) report(`m${i}`, cpu);
      await pass(3);
    });
    return longest;
  };
  // The minimum of two runs, since other processes disturb the measurement.
  const longest = Math.min(await longestWith('2'), await longestWith('3'));
  t.ok(longest < 50, `the longest turn took ${longest.toFixed(0)} ms`);
});

t.test('what may help after an attempt', t => {
  const group = { workloadAffinityGroups: { affinityGroup: 'g' } };
  const helps = (
    type: 'placed' | 'FitError' | 'UnschedulableError',
    refusal: Committed['refusal'],
    spec = {},
  ): readonly Help[] =>
    helpFor(binding(spec), type === 'placed' ? { type, clusters: [] } : { type, message: '' }, refusal);
  t.same(helps('placed', undefined), []);
  t.same(helps('placed', 'QuotaExceeded'), ['quota']);
  t.same(helps('placed', 'SchedulerError'), []);
  t.same(helps('FitError', undefined), []);
  t.same(helps('FitError', undefined, group), ['peers']);
  t.same(helps('UnschedulableError', undefined), ['room']);
  t.end();
});
