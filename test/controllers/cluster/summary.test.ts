import t from 'tap';
import { createDamper, notReachable, ready } from '../../../controllers/cluster/ready.js';
import type { Condition } from '../../../api/karmada/types.js';

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
