import t from 'tap';
import {
  addTaints,
  type ConditionMatch,
  conditionsMatch,
  removeTaints,
  taintsText,
} from '../../../controllers/cluster/taints-by-condition.js';
import type { Condition, Taint } from '../../../api/karmada/types.js';

const condition = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  ...{ reason: '', message: '', lastTransitionTime: '' },
});

t.test('match conditions of a ClusterTaintPolicy are evaluated', async t => {
  const has = [condition('Ready', 'False'), condition('Full', 'True')];
  const match = (conditionType: string, operator: string, ...statusValues: string[]): ConditionMatch => ({
    conditionType,
    operator,
    statusValues,
  });
  const cases: { name: string; given: ConditionMatch[]; expect: boolean }[] = [
    { name: 'nothing asked for', given: [], expect: false },
    { name: 'one of the values', given: [match('Ready', 'In', 'Unknown', 'False')], expect: true },
    { name: 'none of the values', given: [match('Ready', 'NotIn', 'True')], expect: true },
    { name: 'one that should not be', given: [match('Ready', 'NotIn', 'False')], expect: false },
    { name: 'not there', given: [match('Other', 'NotIn', 'True')], expect: false },
    { name: 'all must hold', given: [match('Ready', 'In', 'False'), match('Full', 'In', 'False')], expect: false },
    { name: 'no such operator', given: [match('Ready', 'Exists')], expect: false },
  ];
  for (const { name, given, expect } of cases) t.equal(conditionsMatch(has, given), expect, name);
});

t.test('taints are added and removed by key and effect', async t => {
  const taint = (key: string, effect: Taint['effect'], value?: string): Taint => ({
    key,
    effect,
    ...(value && { value }),
  });
  const present = [taint('a', 'NoSchedule', 'old'), taint('b', 'NoSchedule')];
  const policy = [taint('a', 'NoSchedule', 'new'), taint('a', 'NoExecute', 'v')];
  const added = addTaints(present, policy, 'now');
  t.same(added, [...present, { ...taint('a', 'NoExecute', 'v'), timeAdded: 'now' }], 'existing taints do not change');
  t.same(removeTaints(added, policy), [taint('b', 'NoSchedule')]);
  t.equal(
    taintsText(present),
    'cluster now has taints([{Key:a,Value:old,Effect:NoSchedule},{Key:b,Effect:NoSchedule}])',
  );
  t.equal(taintsText([]), 'cluster now does not have taints');
});
