/** The objects that a reference selects by labels are found in several turns of the event loop. */
import t from 'tap';
import { referredTo } from '../../../controllers/dependencies/referred-to.js';
import { mirrorOf } from '../../client/large-mirror.js';
import { configmaps } from '../../registry/serve.js';
import { turnsDuring } from '../../turns.js';

/** In milliseconds. The test runner tracks each promise of the walk, and the collection of that garbage takes most of a turn. */
const limit = 100;

t.test('fifty thousand objects of a namespace do not hold the event loop', async t => {
  const items = Array.from({ length: 50_000 }, (_, i) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: {
      namespace: 'default',
      name: `m${i}`,
      resourceVersion: '1',
      labels: { tier: i % 1000 === 0 ? 'a' : 'b' },
    },
  }));
  const mirror = await mirrorOf(t, configmaps, items);
  const type = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
  let found: (string | undefined)[] = [];
  const { longest } = await turnsDuring(limit, async () => {
    found = [];
    const reference = { ...type, labelSelector: { matchLabels: { tier: 'a' } } };
    for await (const { metadata } of referredTo(reference, mirror)) found.push(metadata.name);
  });
  t.ok(longest < limit, `${longest} ms`);
  t.same(
    found,
    Array.from({ length: 50 }, (_, i) => `m${i * 1000}`),
  );
  const named = [];
  for await (const { metadata } of referredTo({ ...type, name: 'm7' }, mirror)) named.push(metadata.name);
  t.same(named, ['m7']);
});
