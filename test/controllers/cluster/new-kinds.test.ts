/** A CRD and its objects are propagated together, without waiting for the next observation of the clusters. */
import t from 'tap';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customKind, version } from '../../custom-kinds.js';
import { comesAbout, controlPlane } from '../control-plane.js';

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const widgets = { group: 'example.io', version: 'v1', resource: 'widgets' };
const namespace = 'default';
const placement = { clusterAffinity: { clusterNames: ['member1'] } };

t.test('a custom resource is applied to a cluster soon after its CRD', async t => {
  const server = await controlPlane(t, { lookEveryMs: 3_600_000 }); // the next period never comes
  const { client } = server;
  const names = { singular: 'widget', listKind: 'WidgetList' };
  await client.create(definitions, customKind('Widget', [version()], { group: 'example.io', names }));
  await client.create(resources.clusterPropagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'ClusterPropagationPolicy', metadata: { name: 'kinds' } },
    spec: {
      resourceSelectors: [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }],
      placement,
    },
  });
  await comesAbout(server, definitions, { name: 'widgets.example.io' }, ({ status }) =>
    Boolean(
      (status as { conditions?: { type: string; status: string }[] }).conditions?.some(c => c.type === 'Established'),
    ),
  );
  await client.create(resources.propagationPolicies, {
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy', metadata: { name: 'things', namespace } },
    spec: { resourceSelectors: [{ apiVersion: 'example.io/v1', kind: 'Widget' }], placement },
  });
  await client.create(widgets, {
    ...{ apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name: 'w', namespace } },
    spec: { size: 5 },
  });
  const binding = await comesAbout(
    server,
    resources.resourceBindings,
    { namespace, name: 'w-widget' },
    object => findCondition((object as Binding).status?.conditions, 'FullyApplied')?.status === 'True',
  );
  t.match((binding as Binding).spec.clusters, [{ name: 'member1' }]);
});
