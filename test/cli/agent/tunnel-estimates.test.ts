/** The scheduler estimates a member that only the reverse tunnel of its agent reaches, by mirrors of its Nodes and Pods. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { deployments, nodes } from '../../../api/kubernetes/resources.js';
import { find } from '../../../client/find.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { until } from '../../storage/until.js';
import { AgentProcess, ControlPlane, policyFor, quick, startPulledMember } from './pull-mode.js';

const path = '/apis/cluster.karmada.io/v1alpha1/clusters/*/estimates';
const headers = { 'content-type': 'application/json' };
const disk = { disk: 'ssd' };

/** Returns a Deployment for nodes with a label. */
const picky = (name: string, replicas: number): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' } },
  spec: {
    ...{ replicas, selector: { matchLabels: { app: name } } },
    template: {
      metadata: { labels: { app: name } },
      spec: { nodeSelector: disk, containers: [{ name: 'c', image: 'i' }] },
    },
  },
});

const dividing: KubeObject = {
  ...policyFor('edge'),
  spec: {
    ...(policyFor('edge')['spec'] as object),
    placement: {
      clusterAffinity: { clusterNames: ['edge'] },
      replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Aggregated' },
    },
  },
};

t.test('estimates follow the nodes of the member, also in the next tunnel', async t => {
  const [plane, member] = [
    await ControlPlane.start(t, ['--enable-scheduler-estimator']),
    await startPulledMember(t, 'edge'),
  ];
  const args = [
    ...['--karmada-kubeconfig', await plane.admit('edge'), '--kubeconfig', member.file, '--cluster-name', 'edge'],
    ...['--reverse-tunnel', ...quick],
  ];
  const agent = new AgentProcess(t, args);
  await agent.registered();

  /** Returns the replicas for nodes with the label; undefined while there is no estimate. */
  const estimate = async (): Promise<number | undefined> => {
    const question = {
      ...{ clusters: ['edge'], resource: { kind: 'Deployment', name: 'x' } },
      requirements: { nodeClaim: { nodeSelector: disk } },
    };
    const { body } = await plane.client.raw({
      method: 'POST',
      path,
      headers,
      body: Buffer.from(JSON.stringify(question)),
    });
    return (JSON.parse(body.toString()) as { estimates: Record<string, number> }).estimates['edge'];
  };
  const label = async (name: string, labels: object): Promise<void> => {
    await member.client.patch(nodes, { name }, { type: 'merge', patch: { metadata: { labels } } });
  };
  const bindingOf = async (name: string): Promise<Binding | undefined> =>
    (await find(plane.client, resources.resourceBindings, {
      namespace: 'default',
      name: `${name}-deployment`,
    })) as Binding | undefined;

  await until('no node is estimated', async () => (await estimate()) === 0);
  await plane.client.create(resources.propagationPolicies, dividing);
  await plane.client.create(deployments, picky('early', 1));
  // The summary of the cluster has room, which the scheduler would use without an estimate.
  await until('the scheduler finds no node', async () => {
    const scheduled = findCondition((await bindingOf('early'))?.status?.conditions, 'Scheduled');
    return scheduled?.status === 'False' && /available replicas 0/.test(scheduled.message ?? '');
  });
  const [first] = (await member.client.list(nodes)).items.map(({ metadata }) => metadata.name ?? '');
  await label(first ?? '', disk);
  await until('the node counts', async () => ((await estimate()) ?? 0) > 0);
  await plane.client.create(deployments, picky('late', 2));
  await until('it is placed', async () => (await bindingOf('late'))?.spec.clusters?.[0]?.replicas === 2);

  t.strictSame(await agent.end('SIGTERM'), [0, null]);
  await label(first ?? '', { disk: null });
  const next = new AgentProcess(t, args);
  await next.registered();
  await until('the label that was removed meanwhile is seen', async () => (await estimate()) === 0);
  t.notMatch(agent.log + next.log, /forbidden/i);
});
