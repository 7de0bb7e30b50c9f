import { Registry } from 'prom-client';
import t from 'tap';
import { mergedSummary, summary, type MetricJson } from '../../../apiserver/metrics/summary.js';

const minute = 60_000;

function quantilesOf(text: string): number[] {
  return [...text.matchAll(/quantile="[\d.]+"\} (\S+)/g)].map(([, value]) => Number(value));
}

t.test('quantiles of recent observations', async t => {
  const registry = new Registry();
  let now = 0;
  const series = summary(registry, 'took', 'Seconds.', { maxAgeMs: 5 * minute, now: () => now })({ a: 'b' });
  for (let i = 1; i <= 1000; i++) series.observe(i / 1000);
  const text = await registry.metrics();
  t.match(text, '# TYPE took summary\n');
  for (const [i, expect] of [0.5, 0.9, 0.99].entries()) {
    const quantile = quantilesOf(text)[i] ?? 0;
    t.ok(Math.abs(quantile / expect - 1) < 0.02, `${quantile} for ${expect}`);
  }
  t.match(text, 'took_count{a="b"} 1000\n');
  t.match(text, /took_sum\{a="b"\} 500\.5/);

  now = 3 * minute;
  for (let i = 0; i < 3000; i++) series.observe(2);
  t.ok((quantilesOf(await registry.metrics())[0] ?? 0) > 1.9, 'recent observations count as much');
  now = 6 * minute;
  t.ok((quantilesOf(await registry.metrics())[0] ?? 0) > 1.9);
  now = 9 * minute;
  const late = await registry.metrics();
  t.same(quantilesOf(late), [NaN, NaN, NaN], 'nothing recent');
  t.match(late, 'took_count{a="b"} 4000\n', 'the total count is kept');
});

t.test('very small and very large values', async t => {
  const registry = new Registry();
  const series = summary(registry, 'took', 'Seconds.', { maxAgeMs: minute })({});
  for (const value of [0, 1e-9, 1e9]) series.observe(value);
  const [half = 1, , most = 0] = quantilesOf(await registry.metrics());
  t.ok(half < 1e-5 && most > 1000);
});

t.test('summaries of several processes are merged', t => {
  const snapshot = (half: number | null, count: number): MetricJson => ({
    ...{ name: 'took', help: '', type: 'summary' },
    values: [
      { labels: { a: 'b', quantile: 0.5 }, value: half as number },
      { metricName: 'took_count', labels: { a: 'b' }, value: count },
    ],
  });
  const merged = (...all: readonly MetricJson[]): number[] => mergedSummary(all).map(({ value }) => value);
  t.same(merged(snapshot(1, 2), snapshot(3, 4), snapshot(null, 0)), [3, 6]);
  t.same(merged(snapshot(null, 0), snapshot(2, 1)), [2, 1]);
  t.same(merged(snapshot(null, 0)), [NaN, 0]);
  t.end();
});
