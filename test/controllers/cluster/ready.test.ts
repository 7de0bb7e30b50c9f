import t from 'tap';
import { createDamper, notReachable, ready } from '../../../controllers/cluster/ready.js';
import type { Condition } from '../../../api/karmada/types.js';

t.test('a flip of the Ready condition must last for its threshold', async t => {
  const damper = createDamper({ successMs: 30, failureMs: 20 });
  const current = (observed: Omit<Condition, 'lastTransitionTime'>): Condition => ({
    ...observed,
    lastTransitionTime: '',
  });
  t.same(damper.report('m', undefined, ready, 0), ready, 'the first observation is reported at once');
  t.same(damper.report('m', current(ready), notReachable, 100), current(ready), 'a failure is not reported yet');
  t.same(damper.report('m', current(ready), notReachable, 119), current(ready), 'nor just before the threshold');
  t.same(
    damper.report('m', current(ready), notReachable, 120),
    notReachable,
    'a failure is reported after the threshold',
  );
  t.same(
    damper.report('m', current(notReachable), ready, 130),
    current(notReachable),
    'a recovery is not reported yet',
  );
  t.same(damper.report('m', current(notReachable), ready, 160), ready, 'a recovery is reported after the threshold');
});
