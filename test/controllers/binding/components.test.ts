/** A workload of several components, from its template to the member: a custom kind whose components a script returns. */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { comesAbout, controlPlane } from '../control-plane.js';

const gangs = { group: 'example.io', version: 'v1', resource: 'gangs' };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const target = { apiVersion: 'example.io/v1', kind: 'Gang' };
const placement = { spreadConstraints: [{ spreadByField: 'cluster', minGroups: 1, maxGroups: 1 }] };

const luaScript = `
  local kube = require('kube')
  function GetComponents(o)
    local needs = function() return kube.accuratePodRequirements(o.spec.template) end
    return {
      { name = 'leader', replicas = o.spec.leaders, replicaRequirements = needs() },
      { name = 'worker', replicas = o.spec.workers, replicaRequirements = needs() },
    }
  end`;

const gang = (name: string, workers: number) =>
  object(target.apiVersion, target.kind, name, {
    metadata: { namespace: 'default' },
    spec: {
      ...{ leaders: 1, workers },
      template: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '10m' } } }] } },
    },
  });

/** Defines the kind in the control plane and in the member, with its customization and a policy for all its objects. */
async function serveGangs(server: TestServer): Promise<void> {
  const { client } = server;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { plural: 'gangs', singular: 'gang', kind: 'Gang', listKind: 'GangList' };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const spec = { group: 'example.io', scope: 'Namespaced', names, versions };
  const definition = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gangs.example.io', { spec });
  await client.create(definitions, definition);
  const select = (name: string, selector: object, kind: string, more: object) =>
    object('policy.karmada.io/v1alpha1', kind, name, { ...more, spec: { resourceSelectors: [selector], placement } });
  const { apiVersion, kind } = definition;
  await client.create(
    resources.clusterPropagationPolicies,
    select('definitions', { apiVersion, kind, name: 'gangs.example.io' }, 'ClusterPropagationPolicy', {}),
  );
  await client.create(
    resources.interpreterCustomizations,
    object('config.karmada.io/v1alpha1', 'ResourceInterpreterCustomization', 'gangs', {
      spec: { target, customizations: { componentResource: { luaScript } } },
    }),
  );
  await client.create(
    resources.propagationPolicies,
    select('gangs', target, 'PropagationPolicy', { metadata: { namespace: 'default' } }),
  );
  await comesAbout(server, resources.clusters, { name: 'member1' }, cluster =>
    JSON.stringify(cluster['status'] ?? {}).includes('"Gang"'),
  );
}

const bindingOf = (server: TestServer, name: string, holds: (binding: Binding) => boolean): Promise<Binding> =>
  comesAbout(server, resources.resourceBindings, { namespace: 'default', name: `${name}-gang` }, found =>
    holds(found as Binding),
  ) as Promise<Binding>;

t.test('components from a template to the member', async t => {
  const server = await controlPlane(t, {
    featureGates: featureGates({ MultiplePodTemplatesScheduling: true, FederatedQuotaEnforcement: true }),
    lookEveryMs: 100,
  });
  const { client } = server;
  await serveGangs(server);
  await client.create(
    resources.federatedResourceQuotas,
    object('policy.karmada.io/v1alpha1', 'FederatedResourceQuota', 'q', {
      metadata: { namespace: 'default' },
      spec: { overall: { cpu: '60m' } },
    }),
  );
  await client.create(gangs, gang('g', 3));
  const applied = (binding: Binding): boolean =>
    findCondition(binding.status?.conditions, 'FullyApplied')?.status === 'True';
  const { spec } = await bindingOf(server, 'g', applied);
  const replicaRequirements = { resourceRequest: { cpu: '10m' } };
  t.strictSame(spec.components, [
    { name: 'leader', replicas: 1, replicaRequirements },
    { name: 'worker', replicas: 3, replicaRequirements },
  ]);
  const placed = (workers: number) => [
    {
      name: 'member1',
      components: [
        { name: 'leader', replicas: 1 },
        { name: 'worker', replicas: workers },
      ],
    },
  ];
  t.strictSame(spec.clusters, placed(3));
  const used = (cpu: string) =>
    comesAbout(server, resources.federatedResourceQuotas, { namespace: 'default', name: 'q' }, quota =>
      JSON.stringify(quota['status'] ?? {}).includes(`"overallUsed":{"cpu":"${cpu}"}`),
    );
  await used('40m');

  await client.patch(gangs, { namespace: 'default', name: 'g' }, { type: 'merge', patch: { spec: { workers: 4 } } });
  const rescheduled = await bindingOf(
    server,
    'g',
    ({ spec: { clusters } }) => clusters?.[0]?.components?.[1]?.replicas === 4,
  );
  t.strictSame(rescheduled.spec.clusters, placed(4));
  await used('50m');

  await client.create(gangs, gang('h', 1));
  const refused = await bindingOf(
    server,
    'h',
    ({ status }) => findCondition(status?.conditions, 'Scheduled')?.status === 'False',
  );
  t.match(findCondition(refused.status?.conditions, 'Scheduled'), { reason: 'QuotaExceeded' });
  t.equal(refused.spec.clusters, undefined);
});
