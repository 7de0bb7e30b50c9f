/** Estimates by the ResourceQuotas of a namespace. The results of Karmada are compared in test/conformance/golden. */
import t from 'tap';
import type { Component, ReplicaRequirements } from '../../../../api/karmada/types.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { accurateReplicas, accurateSets } from '../../../../scheduler/estimate/accurate/accurate.js';
import type { EstimatedQuota } from '../../../../scheduler/estimate/accurate/interface.js';
import { NodeSnapshot } from '../../../../scheduler/estimate/accurate/node-snapshot.js';
import { replicasInQuotas, setsInQuotas } from '../../../../scheduler/estimate/accurate/resource-quota.js';
import type { AssumedWorkload } from '../../../../scheduler/interface.js';

const unlimited = 2_147_483_647;
const quota = (
  hard: Record<string, string>,
  used: Record<string, string> = Object.fromEntries(Object.keys(hard).map(name => [name, '0'])),
  spec: EstimatedQuota['spec'] = {},
): EstimatedQuota => ({ spec, status: { hard, used } });
const request = (resourceRequest: Record<string, string>, priorityClassName?: string): ReplicaRequirements => ({
  ...{ resourceRequest, namespace: 'n' },
  ...(priorityClassName !== undefined && { priorityClassName }),
});
const component = (replicas: number, replicaRequirements?: ReplicaRequirements): Component => ({
  ...{ name: 'c', replicas },
  ...(replicaRequirements && { replicaRequirements }),
});

t.test('quotas limit what pods request', t => {
  const rows: readonly [name: string, given: EstimatedQuota, expect: number][] = [
    ['CPU', quota({ cpu: '4' }), 8],
    ['CPU by its other name', quota({ 'requests.cpu': '4' }), 8],
    ['both names', quota({ cpu: '1', 'requests.cpu': '4' }), 8],
    ['what is used', quota({ cpu: '4' }, { cpu: '3100m' }), 1],
    ['usage that is not known', quota({ cpu: '4' }, {}), unlimited],
    ['limits', quota({ 'limits.cpu': '1', 'limits.memory': '1' }), unlimited],
    ['counts', quota({ pods: '1', 'count/deployments.apps': '1' }), unlimited],
    ['storage', quota({ 'requests.storage': '1', 'ephemeral-storage': '1' }), unlimited],
    ['a resource of a vendor', quota({ 'requests.example.com/gpu': '3' }), 3],
    ['the least of all', quota({ cpu: '4', memory: '1Gi', 'requests.example.com/gpu': '3' }), 2],
  ];
  const wanted = request({ cpu: '500m', memory: '512Mi', 'example.com/gpu': '1' });
  for (const [name, given, expect] of rows) {
    t.equal(replicasInQuotas([given], wanted), expect, name);
    t.equal(setsInQuotas([given], { namespace: 'n', components: [component(1, wanted)] }), expect, name);
  }
  t.equal(replicasInQuotas([quota({ cpu: '4' }), quota({ cpu: '2' })], wanted), 4, 'the tightest quota');
  t.equal(setsInQuotas([quota({ cpu: '4' })], { namespace: 'n', components: [component(3, wanted), component(1)] }), 2);
  t.equal(setsInQuotas([quota({ cpu: '4' })], { namespace: 'n', components: [component(1)] }), unlimited);
  t.throws(() => replicasInQuotas([], request({ cpu: 'x' })));
  t.end();
});

t.test('of the scopes, only priority classes can be estimated', t => {
  const scoped = (...matchExpressions: { scopeName: string; operator: string; values?: string[] }[]): EstimatedQuota =>
    quota({ cpu: '1' }, { cpu: '0' }, { scopeSelector: { matchExpressions } });
  const priority = (operator: string, ...values: string[]) => ({ scopeName: 'PriorityClass', operator, values });
  const rows: readonly [name: string, given: EstimatedQuota, high: boolean, none: boolean][] = [
    ['another scope', quota({ cpu: '1' }, { cpu: '0' }, { scopes: ['BestEffort'] }), false, false],
    ['any class', quota({ cpu: '1' }, { cpu: '0' }, { scopes: ['PriorityClass'] }), true, false],
    ['In', scoped(priority('In', 'high')), true, false],
    ['NotIn', scoped(priority('NotIn', 'high')), false, true],
    ['Exists', scoped(priority('Exists')), true, false],
    ['DoesNotExist', scoped(priority('DoesNotExist')), false, true],
    ['a malformed scope', scoped(priority('In')), false, false],
    ['an unknown operator', scoped(priority('Like', 'high')), false, false],
    ['one of several', scoped({ scopeName: 'Terminating', operator: 'Exists' }, priority('In', 'high')), true, false],
  ];
  for (const [name, given, high, none] of rows) {
    const limits = (priorityClass?: string): number[] => {
      const wanted = request({ cpu: '1' }, priorityClass);
      return [
        replicasInQuotas([given], wanted),
        setsInQuotas([given], { namespace: 'n', components: [component(1, wanted)] }),
      ];
    };
    const expected = (counts: boolean): number[] => (counts ? [1, 1] : [unlimited, unlimited]);
    t.same(limits('high'), expected(high), `${name}: high`);
    t.same(limits(), expected(none), `${name}: no class`);
  }
  t.end();
});

t.test('assumed workloads of the namespace take their part', t => {
  const assumed = (namespace: string, cpu: string, priorityClass?: string): AssumedWorkload => ({
    namespace,
    components: [component(2, request({ cpu }, priorityClass)), component(1)],
  });
  const given = quota({ cpu: '4' });
  const wanted = request({ cpu: '1' });
  t.equal(replicasInQuotas([given], wanted, [assumed('n', '1')]), 2);
  t.equal(replicasInQuotas([given], wanted, [assumed('other', '1')]), 4);
  t.equal(replicasInQuotas([given], wanted, [assumed('n', '3')]), 0);
  const high = quota({ cpu: '4' }, { cpu: '0' }, { scopes: ['PriorityClass'] });
  t.equal(replicasInQuotas([high], request({ cpu: '1' }, 'high'), [assumed('n', '1'), assumed('n', '1', 'low')]), 2);
  t.end();
});

t.test('the least of nodes and quotas counts', t => {
  const snapshot = new NodeSnapshot();
  const state = { nodes: snapshot.nodes };
  t.equal(atOnce(accurateReplicas(state, request({ cpu: '1' }))), 0, 'no nodes');
  t.equal(atOnce(accurateSets(state, { namespace: 'n', components: [] })), 0, 'no nodes');
  snapshot.setNode('a', { metadata: {}, status: { allocatable: { cpu: '3', pods: '9' } } });
  const { nodes } = snapshot;
  const quotasIn = (namespace: string): EstimatedQuota[] => (namespace === 'n' ? [quota({ cpu: '2' })] : []);
  const times: string[] = [];
  const timed = (plugin: string) => () => void times.push(plugin);
  t.equal(atOnce(accurateReplicas({ nodes, quotasIn }, request({ cpu: '1' }), timed)), 2);
  t.equal(atOnce(accurateReplicas({ nodes }, request({ cpu: '1' }), timed)), 3);
  t.equal(atOnce(accurateReplicas({ nodes, quotasIn }, undefined, timed)), 9);
  const components = [component(1, request({ cpu: '1' }))];
  t.equal(atOnce(accurateSets({ nodes, quotasIn }, { namespace: 'n', components }, timed)), 2);
  t.equal(atOnce(accurateSets({ nodes, quotasIn }, { namespace: '', components })), 3);
  t.equal(atOnce(accurateSets({ nodes, quotasIn }, { namespace: 'n', components: [] })), unlimited);
  const [byNodes, byQuotas] = ['NodeResourceEstimator', 'ResourceQuotaEstimator'];
  t.same(times, [byNodes, byQuotas, byNodes, byNodes, byNodes, byQuotas]);
  t.end();
});
