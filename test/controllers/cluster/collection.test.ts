/** The collection of the status of a cluster costs what has changed. */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { delayMs } from '../../../controllers/cluster/status.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import { aggregatedDiscovery, joinedMember, memberServer } from './member-server.js';

t.test('the documents of discovery are sent again only after a change', async t => {
  const member = await memberServer(t);
  const { answers, documents, etags } = member;
  etags.set('/api', '"core"');
  etags.set('/apis', '"groups"');
  const control = await joinedMember(t, member);
  const count = (answer: string): number => answers.get(answer) ?? 0;
  await until('ten observations', () => count('/readyz 200') >= 10 && count('/apis 304') >= 8);
  t.equal(count('/api 200'), 1);
  t.equal(count('/apis 200'), 1);
  documents.set('/apis', aggregatedDiscovery([{ group: 'batch', version: 'v1', kinds: ['Job'] }]));
  etags.set('/apis', '"more groups"');
  await comesAbout(control, resources.clusters, { name: 'member1' }, object =>
    Boolean((object as Cluster).status?.apiEnablements?.some(({ groupVersion }) => groupVersion === 'batch/v1')),
  );
  t.equal(count('/api 200'), 1);
  t.equal(count('/apis 200'), 2);
});

t.test('clusters are not observed in step', t => {
  const rows = [
    { isFirst: true, random: 0, expect: 5_000 },
    { isFirst: true, random: 0.5, expect: 7_500 },
    { isFirst: false, random: 0, expect: 9_000 },
    { isFirst: false, random: 0.5, expect: 10_000 },
    { isFirst: false, random: 1, expect: 11_000 },
  ];
  for (const { isFirst, random, expect } of rows) t.equal(Math.round(delayMs(10_000, isFirst, random)), expect);
  t.end();
});

t.test('nodes are counted by model if the feature gate is on', async t => {
  const nodes = {
    ...{ apiVersion: 'v1', kind: 'NodeList', metadata: { resourceVersion: '1' } },
    items: [
      { metadata: { name: 'n', uid: 'n', resourceVersion: '1' }, status: { allocatable: { cpu: '4', pods: '9' } } },
    ],
  };
  for (const gradesNodes of [true, false]) {
    const member = await memberServer(t);
    member.documents.set('/api/v1/nodes', nodes);
    const control = await joinedMember(t, member, { gradesNodes });
    const cluster = (await comesAbout(control, resources.clusters, { name: 'member1' }, object =>
      Boolean((object as Cluster).status?.resourceSummary),
    )) as Cluster;
    t.match(cluster.status?.resourceSummary, { allocatable: { cpu: '4', pods: '9' } });
    t.equal(cluster.status?.resourceSummary?.allocatableModelings !== undefined, gradesNodes);
  }
});
