import { silent } from '../../../server/logger.js';
import path from 'node:path';
import t from 'tap';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { parseMembers } from '../../../cli/members-file.js';
import { SimulatedMembers } from '../../../cli/up/simulated-members.js';
import { find } from '../../../client/find.js';
import { resources } from '../../../api/karmada/well-known.js';
import { runningServer, temporaryFolder } from '../../apiserver/running.js';
import { comesAbout } from '../control-plane.js';
import { until } from '../../storage/until.js';

const all = (): boolean => true;

t.test('a cluster with Works that vanished while the control plane was down can be unjoined', async t => {
  const directory = await temporaryFolder(t);
  const common = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
  } as const;
  const controllers = [kubernetesControllers(all), karmadaControllers(all)];
  const members = new SimulatedMembers({ described: parseMembers('1'), directory, host: '127.0.0.1', port: 0 }, silent)
    .part;
  const first = await runningServer(t, { ...common, parts: [members, ...controllers] });
  await comesAbout(first, resources.clusters, { name: 'member1' }, ({ status }) =>
    JSON.stringify(status ?? {}).includes('"ClusterReady"'),
  );
  await until('a Work', async () => (await first.client.list(resources.works)).items.length > 0);
  await first.stop();

  const second = await runningServer(t, { ...common, parts: controllers });
  await second.client.delete(resources.clusters, { name: 'member1' });
  await until(
    'it to go',
    async () => (await find(second.client, resources.clusters, { name: 'member1' })) === undefined,
  );
  t.strictSame((await second.client.list(resources.works)).items, []);
});
