/** The scenarios that run only when they are named: with few objects they measure what they do with many. */
import t from 'tap';
import { table } from '../../bench/print.js';
import { inNamespaces } from '../../bench/namespaces.js';
import type { Sample } from '../../bench/sample.js';
import { changeLatency } from '../../bench/scenarios/change-latency.js';
import { lightMembersFor } from '../../bench/scenarios/light-members.js';
import { manyPolicies } from '../../bench/scenarios/many-policies.js';
import { type ClusterEvent, Readiness } from '../../bench/scenarios/readiness.js';
import type { Scenario } from '../../bench/scenarios/scenario.js';
import { chosenScenarios } from '../../bench/scenarios/scenarios.js';
import { startWithMembers, type Target } from '../../bench/target.js';
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

t.test('long scenarios run only when they are named', t => {
  const long = ['policies', 'change-latency', 'light-members'];
  const names = (only: readonly string[]): string[] => chosenScenarios(only).map(({ name }) => name);
  t.notOk(names([]).some(name => long.includes(name)));
  t.ok(names([]).includes('propagate'));
  t.same(names(long), long);
  t.throws(() => chosenScenarios(['none']), { message: 'there is no scenario none' });
  t.end();
});
