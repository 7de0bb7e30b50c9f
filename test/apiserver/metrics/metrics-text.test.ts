import { Registry } from 'prom-client';
import t from 'tap';
import { metricsText } from '../../../apiserver/metrics/metrics-text.js';
import { counter, histogram } from '../../../apiserver/metrics/series.js';

t.test('the text of metrics is rendered in slices, and equals the text of the registry', async t => {
  const registry = new Registry();
  const requests = histogram(registry, 'requests', 'A "help"\nof two lines \\', [0.1, 1, 10]);
  for (let i = 0; i < 20_000; i++) requests({ path: `/p${i}`, odd: '"\n\\' }).observe(i);
  counter(registry, 'empty', 'Without series');
  counter(registry, 'one', 'One')({}).inc(NaN);
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const parts = await metricsText(registry);
  const text = parts.join('');
  clearInterval(timer);
  t.ok(turns > 1, `${turns} turns of the event loop`);
  t.equal(text === (await registry.metrics()), true);
  t.ok(Math.max(...parts.map(({ length }) => length)) < 32 * 1024, 'no part is long');
});
