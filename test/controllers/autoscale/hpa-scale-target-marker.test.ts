/** Which workloads keep the replicas of their members. as pkg/controllers/hpascaletargetmarker HpaScaleTargetMarker */
import t from 'tap';
import { labels } from '../../../api/karmada/well-known.js';
import { startHpaScaleTargetMarker } from '../../../controllers/autoscale/hpa-scale-target-marker.js';
import { object } from '../../aggregation/fleet.js';
import { until } from '../../storage/until.js';
import { deployment, deployments } from '../../registry/serve.js';
import { runningControllers } from '../one-controller.js';

const autoscalers = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };
const namespace = 'default';
const propagated = { [labels.propagationPolicyId]: 'p' };

t.test('a workload is marked for as long as a propagated HPA scales it', async t => {
  const { client } = await runningControllers(t, context => startHpaScaleTargetMarker(context));
  for (const name of ['a', 'b', 'c']) await client.create(deployments, deployment(name));
  const targeting = (name: string, kind = 'Deployment') => ({
    ...{ maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind, name } },
  });
  const scale = (name: string, target: string, own: Record<string, string> = propagated) =>
    client.create(
      autoscalers,
      object('autoscaling/v2', 'HorizontalPodAutoscaler', name, {
        ...{ metadata: { namespace, labels: own }, spec: targeting(target) },
      }),
    );
  const change = (name: string, patch: Record<string, unknown>) =>
    client.patch(autoscalers, { namespace, name }, { type: 'merge', patch });
  const isMarked = async (name: string): Promise<boolean> => {
    const { metadata } = await client.get(deployments, { namespace, name });
    return metadata.labels?.[labels.retainReplicas] === 'true';
  };
  const becomes = (name: string, expect: boolean): Promise<void> =>
    until(`${name} is ${expect ? '' : 'not '}marked`, async () => (await isMarked(name)) === expect);

  await scale('plain', 'c', {});
  await scale('of-nothing', 'absent');
  await scale('first', 'a');
  await scale('of-cluster-policy', 'b', { [labels.clusterPropagationPolicyId]: 'p' });
  await becomes('a', true);
  await becomes('b', true);
  t.equal(await isMarked('c'), false, 'this HPA is not propagated');

  await scale('second', 'a');
  await change('first', { spec: targeting('c') });
  await becomes('c', true);
  t.equal(await isMarked('a'), true, 'another one scales it, too');
  await client.delete(autoscalers, { namespace, name: 'second' });
  await becomes('a', false);
  await client.delete(autoscalers, { namespace, name: 'first' });
  await becomes('c', false);
  await change('plain', { metadata: { labels: propagated } });
  await becomes('c', true);
  t.equal(await isMarked('b'), true);
});
