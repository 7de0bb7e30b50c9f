import { Registry } from 'prom-client';
import t from 'tap';
import { meter } from '../../../apiserver/metrics/meter.js';
import { exponential, observed } from '../../../client/runtime/meter.js';

t.test('a metric family that is requested twice is the same', async t => {
  const registry = new Registry();
  const counts = meter(registry);
  for (const _ of [1, 2]) counts.counter('things_total', 'Things.', ['kind', 'result'])('a', 'b').inc();
  const time = counts.histogram('things_seconds', 'Time.', ['kind'], [0.1, 1]);
  time('a').observe(0.5);
  time('b').observe(0.5);
  counts.updown('things', 'Present.', [])().set(3);
  counts.gauge('things_now', 'Now.', () => [{ labels: {}, value: 1 }]);
  counts.gauge('things_now', 'Now.', () => [{ labels: { kind: 'a' }, value: 2 }]);
  const lines = async (): Promise<readonly string[]> => (await registry.metrics()).split('\n');
  const found = await lines();
  for (const line of [
    '# TYPE things_total counter',
    'things_total{kind="a",result="b"} 2',
    'things_seconds_bucket{le="0.1",kind="a"} 0',
    'things_seconds_bucket{le="1",kind="a"} 1',
    'things 3',
    'things_now{kind="a"} 2',
  ])
    t.ok(found.includes(line) || found.includes(line.replace(/\{le="([^"]*)",kind="a"\}/, '{kind="a",le="$1"}')), line);
  t.notOk(found.includes('things_now 1'), 'the last registered function is used');
  time.drop('a');
  time('b').observe(0.5);
  const left = (await lines()).filter(line => line.startsWith('things_seconds_count'));
  t.same(left, ['things_seconds_count{kind="b"} 2']);
  time('a').observe(0.5);
  t.ok((await lines()).includes('things_seconds_count{kind="a"} 1'), 'a dropped series starts anew');
});

t.test('observed reports success and errors', async t => {
  const ends: string[] = [];
  const record = (result: string, seconds: number): void => void ends.push(`${result} ${seconds >= 0}`);
  t.equal(await observed(() => Promise.resolve(1), record), 1);
  await t.rejects(
    observed(() => Promise.reject(new Error('no')), record),
    { message: 'no' },
  );
  t.same(ends, ['success true', 'error true']);
});

t.test('bucket bounds equal those of the Go client', t => {
  t.same(exponential(0.001, 2, 4), [0.001, 0.002, 0.004, 0.008]);
  t.end();
});
