/** Bindings that could not be placed are scheduled when something happens that helps, not after minutes. */
import t from 'tap';
import type { Binding, BindingSpec, Cluster } from '../../../../api/karmada/types.js';
import { events } from '../../../../api/kubernetes/resources.js';
import { labels, resources } from '../../../../api/karmada/well-known.js';
import { scheduler } from '../../../../cli/parts/scheduler.js';
import { featureGates } from '../../../../kinds/karmada/feature-gates.js';
import { findCondition } from '../../../../kinds/karmada/conditions.js';
import { generalEstimator } from '../../../../scheduler/estimate/general.js';
import { BindingClasses } from '../../../../scheduler/loop/wake-ups/binding-classes.js';
import type { Committed } from '../../../../scheduler/loop/commit.js';
import { helpFor, roomChecker } from '../../../../scheduler/loop/wake-ups/help.js';
import { type Help, WakeUps } from '../../../../scheduler/loop/wake-ups/wake-ups.js';
import { plugins } from '../../../../scheduler/plugins/plugins.js';
import { object } from '../../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../../apiserver/running.js';
import { comesAbout } from '../../../controllers/control-plane.js';
import { steppedClock } from '../../../lib/clock.js';
import { until } from '../../../storage/until.js';
import { turnsDuring } from '../../../turns.js';
import { binding, cluster } from '../../objects.js';

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
  const counted = { looks: 0, parses: 0 };
  const check = roomChecker(plugins, [generalEstimator]);
  const classes = new BindingClasses(() => true);
  for (const each of bindings) classes.set(each.metadata.name ?? '', each);
  const wakeUps = new WakeUps({
    clock,
    get: key => {
      counted.parses++;
      return bindings.find(({ metadata }) => metadata.name === key);
    },
    cluster: name => clusters.get(name),
    hasMoreRoom: (...args) => {
      counted.looks++;
      return check(...args);
    },
    classes,
    found: ({ metadata }, help) => void woken.push(`${metadata.name} ${help}`),
    signal: stop.signal,
  });
  /** Reports the room of a cluster. */
  const report = (name: string, cpu: string): void => {
    const known = clusters.get(name);
    const before = known?.status?.resourceSummary;
    clusters.set(name, { ...withCpu(name, cpu), ...(known && { spec: known.spec }) });
    wakeUps.clusterChanged(name, before);
  };
  /** Taints a cluster, which is no change of its room. */
  const taint = (name: string): void => {
    const tainted = clusters.get(name);
    if (tainted)
      clusters.set(name, { ...tainted, spec: { ...tainted.spec, taints: [{ key: 'k', effect: 'NoSchedule' }] } });
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
  /** A decision about a binding finds no room. */
  const decide = (each: Binding): void => {
    const { name = '' } = each.metadata;
    wakeUps.began(name, each);
    wakeUps.waits(name, ['room']);
    wakeUps.ended(name);
  };
  return { wakeUps, report, taint, pass, woken, stop, counted, decide };
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
  const { wakeUps, report, pass, counted, decide } = wakeUpsOf([...few, ...many]);
  for (let i = 0; i < 50; i++) report(`m${i}`, '1');
  for (const each of [...few, ...many]) decide(each);
  counted.looks = 0;
  for (let i = 0; i < 50; i++) report(`m${i}`, '2');
  t.same(await pass(2), ['small room', 'placed room']);
  t.equal(counted.looks, 50 + 1, 'one class in all clusters, and another one that finds room in the first');
  t.equal(counted.parses, 2, 'those that are woken');
  for (const { metadata } of many.slice(1)) wakeUps.forget(metadata.name ?? '');
  counted.parses = 0;
  for (let i = 0; i < 50; i++) report(`m${i}`, '1000');
  t.same(await pass(2), ['small room', 'placed room', 'b0 room'], 'the last of a class, too');
  t.equal(counted.parses, 3);
  decide(many[0] as Binding);
  wakeUps.forget('b0');
  t.same(await pass(2), [], 'nothing waits');
});

t.test('bindings with targets are not parsed, whatever their targets are', async t => {
  const many = Array.from({ length: 300 }, (_, i) =>
    needing(`b${i}`, '1000', { clusters: [{ name: `m${i % 50}`, replicas: 1 }, { name: `other-${i}` }] }),
  );
  const { report, pass, counted, decide, stop } = wakeUpsOf(many);
  for (let i = 0; i < 50; i++) report(`m${i}`, '1');
  for (const each of many) decide(each);
  counted.looks = 0;
  for (let i = 0; i < 50; i++) report(`m${i}`, '2');
  t.same(await pass(2), []);
  // One by one, there were 300 parses and 15,000 looks.
  t.equal(counted.parses, 0);
  t.equal(counted.looks, 2 * 50, 'each cluster as a target, and as none');
  for (let i = 0; i < 50; i++) report(`m${i}`, '1000');
  t.equal((await pass(2)).length, 300);
  t.equal(counted.parses, 300, 'those that are woken');
  stop.abort();
});

t.test('a target and a cluster that a binding leaves are judged as such', async t => {
  const tasks = [{ fromCluster: 'm1', reason: '', producer: '' }];
  const [placed, leaving, elsewhere] = [
    needing('placed', '1', { clusters: [{ name: 'm1' }] }),
    needing('leaving', '1', { gracefulEvictionTasks: tasks }),
    needing('elsewhere', '1', { clusters: [{ name: 'm2' }] }),
  ];
  const { report, pass, decide, taint } = wakeUpsOf([placed, leaving, elsewhere]);
  report('m1', '0');
  for (const each of [placed, leaving, elsewhere]) decide(each);
  taint('m1');
  report('m1', '5');
  t.same(await pass(2), ['placed room'], 'a taint keeps only others away');
});

t.test('a set of components is woken by any other room', async t => {
  const set = needing('set', '1', { components: [{ name: 'c', replicas: 1 }], clusters: [{ name: 'm2' }] });
  const { report, pass, decide } = wakeUpsOf([set]);
  report('m1', '5');
  decide(set);
  report('m1', '4');
  t.same(await pass(2), ['set room']);
});

t.test('a binding that has changed no longer decides for its former class', async t => {
  const bindings = ['first', 'second'].map(name => needing(name, '1'));
  const { wakeUps, report, pass, decide } = wakeUpsOf(bindings);
  report('m1', '0');
  for (const each of bindings) decide(each);
  bindings[0] = needing('first', '1000');
  decide(bindings[0]);
  report('m1', '2');
  t.same(await pass(2), ['second room']);
  for (const key of ['first', 'second']) wakeUps.forget(key);
});

t.test('bindings with a long placement or long requirements are looked at one by one', async t => {
  const clusterNames = Array.from({ length: 2000 }, (_, i) => `cluster-${i}`);
  const long = needing('long', '1', { placement: { clusterAffinity: { clusterNames: [...clusterNames, 'm1'] } } });
  const nodeSelector = Object.fromEntries(clusterNames.map(name => [name, 'x']));
  const claims = needing('claims', '1', {
    replicaRequirements: { nodeClaim: { nodeSelector }, resourceRequest: { cpu: '1' } },
  });
  const { report, pass, counted, decide } = wakeUpsOf([long, claims]);
  report('m1', '0');
  for (const each of [long, claims]) decide(each);
  report('m1', '1');
  t.same(await pass(2), ['long room', 'claims room']);
  t.equal(counted.parses, 2 + 2);
});

t.test('many changes do not hold the event loop', async t => {
  const bindings = Array.from({ length: 200 }, (_, i) => needing(`b${i}`, '1000'));
  const { wakeUps, report, pass } = wakeUpsOf(bindings);
  for (let i = 0; i < 2000; i++) report(`m${i}`, '1');
  for (const { metadata } of bindings) wakeUps.waits(metadata.name ?? '', ['room']);
  let cpu = 1;
  const { longest } = await turnsDuring(50, async () => {
    cpu++;
    for (let i = 0; i < 2000; i++) report(`m${i}`, String(cpu));
    await pass(3);
  });
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
