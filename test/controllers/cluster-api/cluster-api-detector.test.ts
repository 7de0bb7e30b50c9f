/** Clusters of a management cluster of Cluster API join when they are provisioned, and leave when they are deleted. */
import fs from 'node:fs/promises';
import t from 'tap';
import { kubeconfigEndpoint, parseKubeconfig } from '../../../aggregation/remote/kubeconfig.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customResourceDefinitions, secrets } from '../../../api/kubernetes/resources.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { find } from '../../../client/find.js';
import { core, memberServer, object } from '../../aggregation/fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { anything, customKind, version } from '../../custom-kinds.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';

const clusterApiClusters = { group: 'cluster.x-k8s.io', version: 'v1beta1', resource: 'clusters' };
const all = (): boolean => true;

t.test('clusters join when they are provisioned, and leave when they are deleted', async t => {
  const parts = [kubernetesControllers(all)];
  const [management, member] = await Promise.all([memberServer(t), runningServer(t, { profile: 'kubernetes', parts })]);
  const definition = customKind('Cluster', [version('v1beta1', anything)], { group: 'cluster.x-k8s.io' });
  await management.client.create(customResourceDefinitions, definition);
  const gvk = { group: 'cluster.x-k8s.io', version: 'v1beta1', kind: 'Cluster' };
  await until('Cluster is served', async () => (await management.client.mapper.forKind(gvk)) !== undefined);
  await management.client.create(core('namespaces'), object('v1', 'Namespace', 'infra'));
  const key = { namespace: 'infra', name: 'edge' };
  const metadata = { namespace: 'infra' };
  const status = (phase: string) => ({ type: 'merge', patch: { status: { phase } } }) as const;
  for (const name of ['edge', 'taken'])
    await management.client.create(
      clusterApiClusters,
      object('cluster.x-k8s.io/v1beta1', 'Cluster', name, { metadata, status: { phase: 'Provisioning' } }),
    );

  const control = await runningServer(t, {
    parts: [
      kubernetesControllers(all),
      karmadaControllers(name => name === 'cluster', 'enforce', {
        clusterApi: kubeconfigEndpoint(management.kubeconfig),
      }),
    ],
  });
  const taken = { syncMode: 'Push', apiEndpoint: 'https://127.0.0.1:1' };
  await control.client.create(
    resources.clusters,
    object('cluster.karmada.io/v1alpha1', 'Cluster', 'taken', { spec: taken }),
  );
  for (const name of ['taken', 'edge'])
    await management.client.patch(clusterApiClusters, { ...key, name }, status('Provisioned'));
  const value = Buffer.from(await fs.readFile(member.kubeconfig, 'utf8')).toString('base64');
  t.equal(await find(control.client, resources.clusters, { name: 'edge' }), undefined);
  await management.client.create(secrets, object('v1', 'Secret', 'edge-kubeconfig', { metadata, data: { value } }));

  const cluster = (await comesAbout(control, resources.clusters, { name: 'edge' })) as Cluster;
  t.match(cluster.spec, { syncMode: 'Push', apiEndpoint: member.url });
  const { secretRef } = cluster.spec;
  const secret = await comesAbout(
    control,
    secrets,
    { namespace: secretRef?.namespace ?? '', name: secretRef?.name ?? '' },
    ({ metadata }) => metadata.ownerReferences !== undefined,
  );
  t.ok((secret['data'] as { token?: string }).token);
  const kept = (await control.client.get(resources.clusters, { name: 'taken' })) as Cluster;
  t.equal(kept.spec.apiEndpoint, taken.apiEndpoint, 'a cluster that has joined in another way is not changed');

  await management.client.delete(clusterApiClusters, key);
  await until('it has left', async () => !(await find(control.client, resources.clusters, { name: 'edge' })));
});

t.test('a kubeconfig that is no file is short, and must not name files', t => {
  const text = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://c', 'certificate-authority': '/etc/hosts' } }],
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
    'current-context': 'c',
  });
  t.throws(() => parseKubeconfig(text, 'the kubeconfig of c'), {
    message: 'the kubeconfig of c names the file /etc/hosts',
  });
  t.throws(() => parseKubeconfig('[]', 'the kubeconfig of c'), { message: 'the kubeconfig of c is no kubeconfig' });
  const valid = text.replace('certificate-authority', 'x');
  t.same(parseKubeconfig(valid, 'c'), { server: 'https://c' });
  t.same(parseKubeconfig(valid + ' '.repeat(30_000), 'c'), { server: 'https://c' });
  t.throws(() => parseKubeconfig(valid + ' '.repeat(40_000), 'the kubeconfig of c'), {
    name: 'ExpectedError',
    message: 'the kubeconfig of c is longer than 32768 characters',
  });
  t.end();
});
