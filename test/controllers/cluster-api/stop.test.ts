/** A stop ends the join of a cluster that does not answer. */
import t from 'tap';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { customResourceDefinitions, secrets } from '../../../api/kubernetes/resources.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubeconfig } from '../../../authn/pki/kubeconfig.js';
import { core, memberServer, object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { anything, customKind, version } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { faultyFront } from '../faults/faulty-front.js';

t.test('a stop does not wait for a cluster that joins and does not answer', async t => {
  const management = await memberServer(t);
  const { client } = management;
  const front = await faultyFront(t, management);
  const definition = customKind('Cluster', [version('v1beta1', anything)], { group: 'cluster.x-k8s.io' });
  await client.create(customResourceDefinitions, definition);
  const gvk = { group: 'cluster.x-k8s.io', version: 'v1beta1', kind: 'Cluster' };
  await until('Cluster is served', async () => (await client.mapper.forKind(gvk)) !== undefined);
  await client.create(core('namespaces'), object('v1', 'Namespace', 'infra'));
  const metadata = { namespace: 'infra' };
  const user = { credential: management.pki.admin };
  const text = kubeconfig([{ name: 'edge', server: front.url, authority: front.authority, user }]);
  const value = Buffer.from(text).toString('base64');
  await client.create(secrets, object('v1', 'Secret', 'edge-kubeconfig', { metadata, data: { value } }));
  front.set({ kind: 'black hole' });
  const clusterApi = kubeconfigEndpoint(management.kubeconfig);
  const control = await runningServer(t, {
    parts: [karmadaControllers(name => name === 'cluster', 'enforce', { clusterApi })],
  });
  await client.create(
    { group: 'cluster.x-k8s.io', version: 'v1beta1', resource: 'clusters' },
    object('cluster.x-k8s.io/v1beta1', 'Cluster', 'edge', { metadata, status: { phase: 'Provisioned' } }),
  );
  await until('the cluster joins', () => front.requests > 0);
  const began = performance.now();
  await control.stop();
  t.ok(performance.now() - began < 10_000, 'the timeout of a request is longer');
});
