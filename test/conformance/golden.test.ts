/** The functions behind Karmada's decisions, against what the real ones were seen to decide. */
import t from 'tap';
import { withoutEtcd } from '../storage/etcd-server.js';
import { checks } from './golden/checks.js';
import { etcdServed } from './golden/etcd.js';

for (const { area, part, run } of checks)
  t.test(`${area}: ${part}`, async t => {
    const results = await run();
    t.ok(results.length > 20, `${results.length} vectors`);
    t.same(
      results.filter(({ problems }) => problems.length > 0),
      [],
    );
  });

t.test('the store of a karmada-apiserver is taken over', { skip: withoutEtcd }, async t => {
  const results = (await etcdServed()) ?? [];
  t.equal(results.length, 37);
  t.same(
    results.filter(({ problems }) => problems.length > 0),
    [],
  );
});
