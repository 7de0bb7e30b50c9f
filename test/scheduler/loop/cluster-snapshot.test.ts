/** Clusters as decisions read them. */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { ClusterSnapshot } from '../../../scheduler/loop/cluster-snapshot.js';
import { cluster } from '../objects.js';

/** Returns a snapshot, and what changes a cluster in the mirror that it follows. Every state of a cluster is parsed anew. */
function followed() {
  const snapshot = new ClusterSnapshot();
  let listener: Parameters<Parameters<ClusterSnapshot['follow']>[0]['onChange']>[0] = () => undefined;
  snapshot.follow({
    onChange: given => {
      listener = given;
      return () => undefined;
    },
  });
  const change = (key: string, next: Cluster | undefined): void =>
    listener({ key, new: next && structuredClone(next) } as Parameters<typeof listener>[0]);
  return { snapshot, change };
}

const summary = (cpu: string) => ({ allocatable: { cpu } });
const withStatus = (name: string, status: Cluster['status']): Cluster => {
  const given = cluster(name);
  return { ...given, status: { ...given.status, ...status } };
};

t.test('the list is the same until a decision may be another one', t => {
  const { snapshot, change } = followed();
  change('m1', withStatus('m1', { resourceSummary: summary('1') }));
  change('m2', cluster('m2'));
  const { list } = snapshot;
  t.same(
    list.map(({ metadata }) => metadata.name),
    ['m1', 'm2'],
  );
  t.equal(snapshot.list, list);
  const beat = {
    lastTransitionTime: '2026-01-01T00:00:00Z',
    type: 'Ready',
    status: 'True',
    reason: 'x',
    message: '',
  } as const;
  change('m1', withStatus('m1', { resourceSummary: summary('1'), conditions: [beat], nodeSummary: { totalNum: 3 } }));
  t.equal(snapshot.list, list, 'a heartbeat changes nothing');
  change('m1', withStatus('m1', { resourceSummary: summary('2') }));
  const [first, second] = snapshot.list;
  t.same(first?.status?.resourceSummary, summary('2'));
  t.equal(second, list[1], 'others are the same objects');
  t.equal(first?.spec, list[0]?.spec, 'and so are other parts');
  change('m2', cluster('m2', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  t.ok(snapshot.get('m2')?.metadata.deletionTimestamp);
  change('m1', undefined);
  t.same(
    snapshot.list.map(({ metadata }) => metadata.name),
    ['m2'],
  );
  t.end();
});

t.test('the kinds that clusters serve are held once', t => {
  const { snapshot, change } = followed();
  for (let i = 0; i < 20; i++) change(`m${i}`, cluster(`m${i}`));
  const lists = new Set(snapshot.list.map(({ status }) => status?.apiEnablements));
  t.equal(lists.size, 1);
  change('m1', withStatus('m1', { apiEnablements: [] }));
  change('m2', cluster('m2', {}, { labels: { a: 'b' } }));
  t.equal(new Set(snapshot.list.map(({ status }) => status?.apiEnablements)).size, 2);
  t.end();
});
