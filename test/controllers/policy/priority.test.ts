/** Templates whose policy has changed wait for templates that users have changed (gate ControllerPriorityQueue). */
import t from 'tap';
import { orderOfTemplates } from './order-of-templates.js';

t.test('the order of templates', async t => {
  const last = (seen: readonly string[]) => seen.slice(0, 3).sort();
  t.same(last(await orderOfTemplates(t, true)), ['c0', 'c7', 'fresh'], 'what users have changed');
  t.same(last(await orderOfTemplates(t, false)), ['c0', 'c1', 'c2'], 'without the gate: in order of arrival');
});
