import { Registry } from 'prom-client';
import t from 'tap';
import { queueMetrics } from '../../../apiserver/metrics/queue-metrics.js';
import { KeyQueue } from '../../../client/runtime/queue.js';

t.test('events of a work queue are counted', async t => {
  const registry = new Registry();
  const observe = queueMetrics(registry);
  const queue = new KeyQueue(undefined, Date.now, depth => observe('works', depth));
  t.teardown(() => queue.close());
  const lines = async (): Promise<readonly string[]> => (await registry.metrics()).split('\n');
  const has = async (...expected: readonly string[]): Promise<void> => {
    const found = await lines();
    for (const line of expected) t.ok(found.includes(line), line);
  };
  queue.add('a');
  queue.add('a');
  queue.add('b');
  await has('workqueue_adds_total{name="works"} 2', 'workqueue_depth{name="works"} 2');
  t.equal(await queue.take(), 'a');
  queue.add('a');
  queue.add('a');
  await has(
    'workqueue_adds_total{name="works"} 3',
    'workqueue_depth{name="works"} 1',
    'workqueue_queue_duration_seconds_count{name="works"} 1',
    'workqueue_work_duration_seconds_count{name="works"} 0',
  );
  const running = (await lines()).find(line => line.startsWith('workqueue_longest_running_processor_seconds{'));
  t.ok(Number(running?.split(' ')[1]) > 0);
  queue.done('a');
  await has('workqueue_depth{name="works"} 2', 'workqueue_unfinished_work_seconds{name="works"} 0');
  t.equal(await queue.take(), 'b');
  t.equal(await queue.take(), 'a');
  queue.addRateLimited('b');
  queue.done('b');
  queue.done('a');
  await has(
    'workqueue_retries_total{name="works"} 1',
    'workqueue_queue_duration_seconds_count{name="works"} 3',
    'workqueue_work_duration_seconds_count{name="works"} 3',
  );
});
