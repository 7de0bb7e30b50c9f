/** The scenarios that run only when they are named: with few objects they measure what they do with many. */
import t from 'tap';
import { table } from '../../bench/print.js';
import { inNamespaces } from '../../bench/namespaces.js';
import { runScenarios } from '../../bench/run-scenarios.js';
import type { Sample } from '../../bench/sample.js';
import { changeLatency } from '../../bench/scenarios/change-latency.js';
import { idleAgentsFor } from '../../bench/scenarios/idle-agents.js';
import { lightMembersFor } from '../../bench/scenarios/light-members.js';
import { manyPolicies } from '../../bench/scenarios/many-policies.js';
import { type ClusterEvent, Readiness } from '../../bench/scenarios/readiness.js';
import type { Scenario } from '../../bench/scenarios/scenario.js';
import { chosenScenarios } from '../../bench/scenarios/scenarios.js';
import { startTarget, startWithMembers, type Target } from '../../bench/target.js';
import type { Cluster } from '../../api/karmada/types.js';
import { clusters } from '../../bench/objects.js';

const skip = process.platform === 'linux' ? false : 'there is no /proc to read';

const run = (target: Target, scenario: Scenario, count: number): Promise<readonly Sample[]> =>
  inNamespaces(target, ['bench'], () => scenario.run(target, { namespace: 'bench', count }));

/** Returns the cells of the printed row of a sample by the titles of their columns. */
function printed(sample: Sample | undefined): Record<string, string | undefined> {
  if (!sample) throw new Error('there is no sample');
  const [head = '', , row = ''] = table([{ server: 'flagship', sample }], []).split('\n');
  const cells = (line: string): string[] => line.split('|').map(cell => cell.trim());
  return Object.fromEntries(cells(head).map((title, i) => [title, cells(row)[i]]));
}

const namesOf = async (target: Target, path: string): Promise<(string | undefined)[]> => {
  const { items } = JSON.parse((await target.send('GET', path)).toString('utf8')) as { items: readonly Cluster[] };
  return items.map(({ metadata }) => metadata.name);
};

const aNumber = /^\d/;
const leases = '/apis/coordination.k8s.io/v1/leases';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

t.test('with members in another process', { skip, timeout: 300_000 }, async t => {
  const target = await startWithMembers('flagship', 2);
  t.teardown(() => target.close());

  await t.test('every Deployment with its own policy becomes ready', async t => {
    const [sample] = await run(target, manyPolicies, 24);
    t.equal(sample?.count, 12);
    t.ok(sample?.latencies.every(ms => ms > 0));
    t.match(printed(sample), {
      what: 'policies 12',
      ...{ seconds: aNumber, 'CPU ms each': aNumber, 'members CPU ms each': aNumber, 'members MiB': aNumber },
    });
    t.notOk((await namesOf(target, '/api/v1/namespaces')).some(name => name?.startsWith('bench')));
  });

  await t.test('every change has a latency for each member', async t => {
    const [sample] = await run(target, changeLatency, 12);
    t.equal(sample?.count, 6, 'three changes, each in two members');
    t.ok(sample?.latencies.every(ms => ms > 0));
    t.match(printed(sample), { what: 'change of 60', 'p50 ms': aNumber, 'p99 ms': aNumber, 'CPU ms each': aNumber });
  });

  await t.test('light members join, stay Ready, and are removed', async t => {
    const [joined, idle] = await run(target, lightMembersFor(1), 60);
    t.equal(joined?.latencies.length, 3);
    t.match(printed(joined), { what: 'join 3', 'p50 ms': aNumber, seconds: aNumber });
    t.equal(idle?.count, 3);
    t.match(printed(idle), { what: '3 members, idle', 'p50 ms': '-', 'CPU s': aNumber, 'RSS MiB': aNumber });
    t.match(printed(idle)['members MiB'], aNumber);
    t.same(await namesOf(target, clusters), ['member1', 'member2']);
  });

  await t.test('agents write signs of life, and what they created is removed before the next round', async t => {
    const { lines, failure } = await runScenarios([target], [idleAgentsFor(1)], { count: 20, rounds: 2 });
    t.equal(failure, undefined);
    const [renewed, reported] = (lines.get(target) ?? []).map(({ sample }) => sample);
    t.ok((renewed?.count ?? 0) > 0 && (reported?.count ?? 0) > 0);
    t.match(renewed, { name: '2 agents, Leases', rounds: 2 });
    t.match(printed(renewed), { 'p50 ms': aNumber, 'CPU ms each': aNumber });
    t.match(printed(reported), { what: '2 agents, status', 'p50 ms': aNumber, 'CPU ms each': aNumber });
    t.same(await namesOf(target, clusters), ['member1', 'member2']);
    t.notOk((await namesOf(target, leases)).some(name => name?.startsWith('pull')));
  });

  await t.test('a watch of an agent that is refused ends the measurement, and no more', async t => {
    const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agent' };
    const rules = [
      { apiGroups: ['', 'coordination.k8s.io'], resources: ['namespaces', 'leases'], verbs: ['*'] },
      { apiGroups: ['cluster.karmada.io'], resources: ['clusters', 'clusters/status'], verbs: ['*'] },
      { apiGroups: ['work.karmada.io'], resources: ['works'], verbs: ['*'] },
    ];
    const metadata = { name: 'agent' };
    const subjects = [{ kind: 'User', name: 'agent' }];
    await target.send('POST', `${rbac}/clusterroles`, JSON.stringify({ metadata, rules }));
    await target.send('POST', `${rbac}/clusterrolebindings`, JSON.stringify({ metadata, roleRef: role, subjects }));
    const limited: Target = { ...target, endpoint: { ...target.endpoint, impersonate: { user: 'agent' } } };
    const longerThanTheTest = 3600;
    const { failure } = await runScenarios([limited], [idleAgentsFor(longerThanTheTest)], { count: 20, rounds: 1 });
    t.match(failure, {
      message: 'idle-agents failed',
      cause: { message: /resourceinterpretercustomizations.*forbidden/ },
    });
    t.same(await namesOf(target, clusters), ['member1', 'member2']);
    t.notOk((await namesOf(target, leases)).some(name => name?.startsWith('pull')));
  });
});

t.test('a member that is not Ready in between is a failure', t => {
  const event = (type: string, name: string, status: 'True' | 'False'): ClusterEvent => {
    const condition = { type: 'Ready', status, reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const kind = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' } as const;
    return {
      type,
      object: { ...kind, metadata: { name }, spec: { syncMode: 'Push' }, status: { conditions: [condition] } },
    };
  };
  const readiness = new Readiness(['a', 'b']);
  readiness.note(event('ADDED', 'a', 'True'));
  t.throws(() => readiness.check(), { message: '1 of 2 members were not Ready: b' });
  readiness.note(event('ADDED', 'b', 'True'));
  readiness.note(event('ADDED', 'other', 'False'));
  readiness.check();
  readiness.note(event('MODIFIED', 'a', 'False'));
  readiness.note(event('MODIFIED', 'a', 'True'));
  t.throws(() => readiness.check(), { message: '1 of 2 members were not Ready: a' });
  readiness.note(event('DELETED', 'b', 'True'));
  t.throws(() => readiness.check(), { message: '2 of 2 members were not Ready: a, b' });
  t.end();
});

t.test('the failure of a scenario does not lose what was measured before it', { skip, timeout: 120_000 }, async t => {
  const target = await startTarget('flagship', [], { idleSeconds: 1 });
  t.teardown(() => target.close());
  const sample: Sample = { name: 'a', count: 1, seconds: 1, latencies: [1] };
  const works: Scenario = { name: 'works', about: 'It ends.', run: () => Promise.resolve([sample]) };
  const cause = new Error('it is full');
  const fails: Scenario = { name: 'fails', about: 'It fails.', run: () => Promise.reject(cause) };
  const { lines, failure } = await runScenarios([target], [works, fails, works], { count: 1, rounds: 2 });
  t.match(lines.get(target), [{ server: 'flagship', sample: { name: 'a', count: 2, rounds: 2 } }]);
  t.equal(lines.get(target)?.length, 1);
  t.match(failure, { message: 'fails failed', cause });
});

t.test('long scenarios run only when they are named', t => {
  const long = ['policies', 'change-latency', 'light-members', 'idle-agents'];
  const names = (only: readonly string[]): string[] => chosenScenarios(only).map(({ name }) => name);
  t.notOk(names([]).some(name => long.includes(name)));
  t.ok(names([]).includes('propagate'));
  t.same(names(long), long);
  t.throws(() => chosenScenarios(['none']), { message: 'there is no scenario none' });
  t.end();
});
