import t from 'tap';
import { countByModel, type Node } from '../../../controllers/cluster/summary.js';
import { createDamper, notReachable, ready } from '../../../controllers/cluster/ready.js';
import type { Condition, ResourceModel } from '../../../registry/kinds/karmada/types.js';
import { golden } from '../../data.js';

interface Input {
  mode: string;
  models: ResourceModel[];
  nodes: Node[];
}

t.test('nodes are counted by grade as in Karmada', async t => {
  for (const { name, input, output } of golden<Input, { counts: number[] }>('estimators').cases)
    if (input.mode === 'modeling') t.same(countByModel(input.models, input.nodes, []), output.counts, name);
});

t.test('a flip of the Ready condition has to last', async t => {
  const damper = createDamper({ successMs: 30, failureMs: 20 });
  const current = (observed: Omit<Condition, 'lastTransitionTime'>): Condition => ({
    ...observed,
    lastTransitionTime: '',
  });
  t.same(damper.report('m', undefined, ready, 0), ready, 'the first observation is taken at once');
  t.same(damper.report('m', current(ready), notReachable, 100), current(ready), 'a failure is not believed yet');
  t.same(damper.report('m', current(ready), notReachable, 119), current(ready), 'nor just before its time');
  t.same(damper.report('m', current(ready), notReachable, 120), notReachable, 'but then');
  t.same(damper.report('m', current(notReachable), ready, 130), current(notReachable), 'nor a recovery');
  t.same(damper.report('m', current(notReachable), ready, 160), ready, 'until it lasts');
});
