import t from 'tap';
import { scale } from '../../../controllers/autoscale/scale.js';
import type { CronFederatedHpa } from '../../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** Returns a CRD with a scale subresource, namespaced or cluster-scoped. */
const definition = (plural: string, kind: string, scope: 'Namespaced' | 'Cluster') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope,
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
  },
});

t.test('a rule scales objects of its namespace, and no cluster-scoped ones', async t => {
  const { client } = await runningServer(t);
  const group = { group: 'example.com', version: 'v1' };
  for (const [plural, kind, scope] of [
    ['parts', 'Part', 'Namespaced'],
    ['wholes', 'Whole', 'Cluster'],
  ] as const) {
    await client.create(definitions, definition(plural, kind, scope));
    await until(`${kind} is served`, async () => (await client.mapper.forKind({ ...group, kind })) !== undefined);
    const metadata = { name: 'one', ...(scope === 'Namespaced' && { namespace: 'default' }) };
    const object = { apiVersion: 'example.com/v1', kind, metadata, spec: { replicas: 1 } };
    await client.create({ ...group, resource: plural }, object);
  }
  const run = (kind: string): Promise<void> => {
    const rule = { name: 'now', schedule: '* * * * *', targetReplicas: 7 };
    const hpa: CronFederatedHpa = {
      apiVersion: 'autoscaling.karmada.io/v1alpha1',
      kind: 'CronFederatedHPA',
      metadata: { namespace: 'default', name: 'hpa' },
      spec: { scaleTargetRef: { apiVersion: 'example.com/v1', kind, name: 'one' }, rules: [rule] },
    };
    return scale(hpa, rule, client);
  };
  await run('Part');
  await t.rejects(run('Whole'), { message: 'no matches for kind "Whole" in version "example.com/v1"' });
  const replicas = async (resource: string, namespace?: string): Promise<unknown> => {
    const found = await client.get({ ...group, resource }, { name: 'one', ...(namespace && { namespace }) });
    return (found['spec'] as { replicas: number }).replicas;
  };
  t.equal(await replicas('parts', 'default'), 7);
  t.equal(await replicas('wholes'), 1);
});
