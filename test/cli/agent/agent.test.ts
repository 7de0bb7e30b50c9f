/** `flagship agent` as a process, between a control plane in another process and a simulated member. */
import t from 'tap';
import { deployments, leases, secrets } from '../../../api/kubernetes/resources.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import type { Work } from '../../../api/karmada/types.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, deployment, quick, readyReplicas, startPulledMember } from './pull-mode.js';

const monitored = ['--cluster-monitor-period', '500ms', '--cluster-monitor-grace-period', '4s'];

const lease = { namespace: 'karmada-cluster', name: 'edge' };

t.test('a cluster is registered with the rights of an agent, gets its Works, and reports', async t => {
  const plane = await ControlPlane.start(t, monitored);
  const member = await startPulledMember(t, 'edge');
  const args = [
    ...[
      '--karmada-kubeconfig',
      await plane.admit('edge'),
      '--cluster-kubeconfig',
      member.file,
      '--cluster-name',
      'edge',
    ],
    ...['--cluster-region', 'north', '--cluster-zones', 'a,b', '--cluster-provider', 'own', '--v=4', ...quick],
    ...['--cluster-api-endpoint', member.server.url],
  ];
  const agent = new AgentProcess(t, args);
  await agent.registered();
  t.match(await plane.cluster('edge'), {
    spec: {
      ...{ syncMode: 'Pull', region: 'north', zones: ['a', 'b'], provider: 'own', apiEndpoint: member.server.url },
      secretRef: { namespace: 'karmada-cluster', name: 'edge' },
      impersonatorSecretRef: { namespace: 'karmada-cluster', name: 'edge-impersonator' },
    },
  });
  const { data, metadata } = await plane.client.get(secrets, { namespace: 'karmada-cluster', name: 'edge' });
  t.match(data, { token: /.+/, caBundle: /.+/ });
  t.match(metadata.ownerReferences, [{ kind: 'Cluster', name: 'edge' }]);

  await plane.propagate('web', 3);
  t.equal(await readyReplicas(member.client, 'web'), 3);
  await until('the Lease is there', async () => (await find(plane.client, leases, lease)) !== undefined);
  t.match(await plane.client.get(leases, lease), { spec: { holderIdentity: 'edge', leaseDurationSeconds: 2 } });
  t.match(await plane.client.get(leases, { namespace: 'karmada-system', name: 'karmada-agent-edge' }), {
    spec: { leaseDurationSeconds: 9 },
  });
  t.match((await plane.cluster('edge'))?.status, { nodeSummary: { totalNum: Number }, kubernetesVersion: /^v1/ });

  t.strictSame(await agent.end('SIGTERM'), [0, null]);
  t.notMatch(agent.log, /"level":"(?:warn|error)"(?!.*no effect here)/);
  t.notMatch(agent.log, /forbidden/i);

  await until('the silence is noticed', async () => (await plane.readiness('edge')) === 'Unknown');
  const web = { namespace: 'default', name: 'web' };
  await plane.client.patch(deployments, web, { type: 'merge', patch: { spec: { replicas: 5 } } });
  await plane.client.create(deployments, deployment('late', 1));
  await until('the Work has changed', async () => {
    const { items } = await plane.client.list(resources.works, { namespace: 'karmada-es-edge' });
    return (items as Work[]).some(({ metadata: { generation = 1 } }) => generation > 1);
  });
  t.equal(await readyReplicas(member.client, 'web'), 3, 'nothing acts in the place of the agent');
  new AgentProcess(t, args);
  await until('the change has arrived', async () => (await readyReplicas(plane.client, 'web')) === 5);
  await until('what could not be scheduled arrives', async () => (await readyReplicas(plane.client, 'late')) === 1);
  await plane.client.delete(deployments, { namespace: 'default', name: 'late' });
  await until('it is deleted', async () => (await readyReplicas(member.client, 'late')) === undefined);
});
