/** A Cluster that is deleted while it is observed. */
import t from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import { joinedMember, memberServer } from './member-server.js';

const key = { name: 'member1' };

t.test('nothing is kept of a Cluster that is deleted while it is observed', async t => {
  const member = await memberServer(t);
  const control = await joinedMember(t, member, { modelsResources: false });
  const { client, metrics } = control;
  const count = (answer: string): number => member.answers.get(answer) ?? 0;
  await comesAbout(control, resources.clusters, key, cluster =>
    Boolean((cluster as Cluster).status?.kubernetesVersion),
  );
  await until('further observations have nothing to write', () => count('/readyz 200') >= 5);

  const release = member.hold('/version');
  await until('a request of an observation waits', () => member.held > 0);
  await client.delete(resources.clusters, key);
  await client.patch(resources.clusters, key, { type: 'merge', patch: { metadata: { finalizers: null } } });
  const shown = async (): Promise<string> => (await metrics.metrics()).replaceAll('"', '');
  await until('the metrics do not show the cluster', async () => !(await shown()).includes('member_cluster=member1'));
  release();
  await until('the observation has ended', async () =>
    (await shown()).includes('controller_runtime_active_workers{controller=cluster-status-controller} 0'),
  );
  t.notMatch(await shown(), 'member_cluster=member1');
});
