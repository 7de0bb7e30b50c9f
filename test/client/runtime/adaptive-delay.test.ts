import t from 'tap';
import { createAdaptiveDelay } from '../../../client/runtime/adaptive-delay.js';
import { until } from '../../storage/until.js';

t.test('a full process gathers longer than one with time to spare', async t => {
  const settling = createAdaptiveDelay();
  const until150 = performance.now() + 150;
  while (performance.now() < until150);
  t.ok(settling() > 200, 'after a while without a pause');
  await until('it is quick again', async () => settling() === 30);
  t.end();
});
