import t from 'tap';
import { type Remedy, remedyActions } from '../../../controllers/remedy/remedy-actions.js';
import type { Cluster } from '../../../api/karmada/types.js';

const cluster: Cluster = {
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm1' } },
  spec: { syncMode: 'Push' },
  status: { conditions: [{ type: 'Dns', status: 'False', reason: '', message: '', lastTransitionTime: '' }] },
};

const remedy = (spec: Remedy['spec']): Remedy => ({
  ...{ apiVersion: 'remedy.karmada.io/v1alpha1', kind: 'Remedy', metadata: { name: 'r' } },
  spec,
});

const match = (conditionType: string, operator: 'Equal' | 'NotEqual', conditionStatus: string) => ({
  clusterConditionMatch: { conditionType, operator, conditionStatus },
});

t.test('the actions of all Remedies that apply', async t => {
  const actions = ['TrafficControl'];
  const cases: { name: string; given: Remedy['spec'][]; expect: string[] }[] = [
    { name: 'none', given: [], expect: [] },
    { name: 'without conditions', given: [{ actions }], expect: actions },
    { name: 'with an empty list of conditions', given: [{ actions, decisionMatches: [] }], expect: actions },
    { name: 'without actions', given: [{}], expect: [] },
    { name: 'no cluster', given: [{ actions, clusterAffinity: {} }], expect: [] },
    { name: 'another cluster', given: [{ actions, clusterAffinity: { clusterNames: ['m2'] } }], expect: [] },
    { name: 'this cluster', given: [{ actions, clusterAffinity: { clusterNames: ['m1'] } }], expect: actions },
    { name: 'Equal', given: [{ actions, decisionMatches: [match('Dns', 'Equal', 'False')] }], expect: actions },
    { name: 'not Equal', given: [{ actions, decisionMatches: [match('Dns', 'Equal', 'True')] }], expect: [] },
    { name: 'NotEqual', given: [{ actions, decisionMatches: [match('Dns', 'NotEqual', 'True')] }], expect: actions },
    { name: 'not NotEqual', given: [{ actions, decisionMatches: [match('Dns', 'NotEqual', 'False')] }], expect: [] },
    { name: 'not there', given: [{ actions, decisionMatches: [match('Disk', 'NotEqual', 'True')] }], expect: [] },
    {
      name: 'one of two',
      given: [{ actions, decisionMatches: [{}, match('Dns', 'Equal', 'True'), match('Dns', 'Equal', 'False')] }],
      expect: actions,
    },
    {
      name: 'several Remedies',
      given: [{ actions: ['b', 'a'] }, { actions: ['c', 'a'] }],
      expect: ['a', 'b', 'c'],
    },
  ];
  for (const { name, given, expect } of cases) t.strictSame(remedyActions(given.map(remedy), cluster), expect, name);
  t.strictSame(
    remedyActions([remedy({ actions, decisionMatches: [match('Dns', 'NotEqual', 'True')] })], {
      ...cluster,
      status: {},
    }),
    [],
    'no conditions yet',
  );
});
