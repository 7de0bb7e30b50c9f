import t from 'tap';
import { Facets } from '../../../aggregation/search/facets.js';
import type { Collection } from '../../../aggregation/search/caches.js';
import { atOnce } from '../../../lib/time-slice.js';
import { random } from '../../random.js';

const collection = { cluster: 'member1', kind: 'ConfigMap' } as Partial<Collection> as Collection;

t.test('the most frequent values are shown, equal ones by name, and many are visited in steps', t => {
  const { below } = random(3);
  const facets = new Facets();
  const counts = new Map<string, number>();
  for (let i = 0; i < 20_000; i++) {
    const namespace = `n${below(1_000_000)}`;
    const matches = 1 + below(4);
    counts.set(namespace, (counts.get(namespace) ?? 0) + matches);
    facets.add(collection, { namespace, size: matches, matches, healths: new Map([['Healthy', matches]]) });
  }
  const wanted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 100);
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const { cluster, kind, namespace, health } = atOnce(facets.shown());
  t.same(Object.entries(namespace ?? {}), wanted);
  t.same([cluster, kind, health], [{ member1: total }, { ConfigMap: total }, { Healthy: total }]);
  const steps = [...facets.shown()].length;
  t.ok(steps > 50, `${steps} steps`);
  t.end();
});
