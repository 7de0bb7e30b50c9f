/** The dependencies of a Deployment follow it into a simulated member, and are removed with it. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Binding } from '../../../api/karmada/types.js';
import { bindingName, executionNamespace, workName } from '../../../api/karmada/names.js';
import { resources } from '../../../api/karmada/well-known.js';
import { find } from '../../../client/find.js';
import { until } from '../../storage/until.js';
import { comesAbout, controlPlane } from '../control-plane.js';

const namespace = 'default';
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'nginx', envFrom: [{ configMapRef: { name: 'late' } }] }] },
    },
  },
};

const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { namespace, name: 'p' },
  spec: {
    propagateDeps: true,
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
    placement: { clusterAffinity: { clusterNames: ['member1'] } },
  },
};

t.test('a dependency created later is propagated, and removed when it is not needed any more', async t => {
  const server = await controlPlane(t);
  const { client } = server;
  await client.create(deployments, deployment);
  await client.create(resources.propagationPolicies, policy);
  const parent = { namespace, name: bindingName('Deployment', 'web') };
  await comesAbout(server, resources.resourceBindings, parent, ({ metadata }) =>
    Boolean(metadata.annotations?.['resourcebinding.karmada.io/dependencies']),
  );
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'late' } });

  const attached = { namespace, name: bindingName('ConfigMap', 'late') };
  const work = { namespace: executionNamespace('member1'), name: workName('ConfigMap', 'late', namespace) };
  const isApplied = (object: KubeObject): boolean => /"FullyAppliedSuccess"/.test(JSON.stringify(object));
  const binding = (await comesAbout(server, resources.resourceBindings, attached, isApplied)) as Binding;
  t.same(binding.spec.requiredBy, [{ ...parent, clusters: [{ name: 'member1', replicas: 1 }] }]);
  t.ok(await find(client, resources.works, work));

  await client.delete(deployments, { namespace, name: 'web' });
  await until('the parent is gone', async () => !(await find(client, resources.resourceBindings, parent)));
  await until('the work is gone', async () => !(await find(client, resources.works, work)));
  const left = (await client.get(resources.resourceBindings, attached)) as Binding;
  t.equal(left.spec.requiredBy, undefined);
  t.ok(await find(client, configMaps, { namespace, name: 'late' }), 'the template stays');
});
