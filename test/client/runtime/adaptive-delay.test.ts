import t from 'tap';
import { createAdaptiveDelay } from '../../../client/runtime/adaptive-delay.js';
import { until } from '../../storage/until.js';

t.test('the delay is longer while the event loop is busy', async t => {
  const delay = createAdaptiveDelay();
  const until150 = performance.now() + 150;
  while (performance.now() < until150);
  t.ok(delay() > 200, 'after a time without idling');
  await until('the delay is short again', async () => delay() === 30);
  t.end();
});
