/** HPAs that work in members: their targets are labelled, and the replicas of the members come back to the template. */
import t from 'tap';
import type { Deployment } from '../../../openapi/gen/apps-v1.js';
import type { Binding } from '../../../api/karmada/types.js';
import { isStatusCollected } from '../../../controllers/autoscale/deployment-replicas-syncer.js';
import { deployments } from '../../../api/kubernetes/resources.js';
import { resources } from '../../../api/karmada/well-known.js';
import { remote } from '../../../aggregation/remote/client.js';
import { comesAbout, controlPlane } from '../control-plane.js';

const hpas = { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers' };
const label = 'resourcetemplate.karmada.io/retain-replicas';
const namespace = 'default';

const deployment = (name: string, replicas: number): Deployment => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'a', image: 'nginx' }] } },
  },
});

const hpa = (name: string, target: string) => ({
  ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name, namespace } },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, minReplicas: 1, maxReplicas: 9 },
});

const policy = (...kinds: readonly (readonly [string, string])[]) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: 'all', namespace },
  spec: {
    resourceSelectors: kinds.map(([apiVersion, kind]) => ({ apiVersion, kind })),
    placement: { replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' } },
  },
});

t.test('replicas that a member sets come back to the template', async t => {
  const server = await controlPlane(t);
  const { client } = server;
  const is = (name: string, value: string | undefined) =>
    comesAbout(server, deployments, { namespace, name }, ({ metadata }) => metadata.labels?.[label] === value);
  await client.create(
    resources.propagationPolicies,
    policy(['apps/v1', 'Deployment'], ['autoscaling/v2', 'HorizontalPodAutoscaler']),
  );
  for (const name of ['one', 'two']) await client.create(deployments, deployment(name, 2));
  await client.create(hpas, hpa('a', 'one'));
  await client.create(hpas, hpa('b', 'one'));
  await is('one', 'true');
  await comesAbout(
    server,
    deployments,
    { namespace, name: 'one' },
    object => (object as Deployment).status?.replicas === 2,
  );

  // In place of the HPA, the member changes the replicas.
  const [context] = server.contexts;
  if (!context) throw new Error('there is no member');
  const { server: address, authority = '', user } = context;
  const { certificate, key } = (user as { credential: { certificate: string; key: string } }).credential;
  const endpoint = { server: address, ca: authority, clientCertificate: certificate, clientKey: key };
  const member = remote(endpoint, { userAgent: 'autoscaler' });
  t.teardown(() => member.close());
  const scaled = { type: 'merge', patch: { spec: { replicas: 5 } } } as const;
  await member.patch(deployments, { namespace, name: 'one' }, scaled);
  const has = (name: string, replicas: number) =>
    comesAbout(
      server,
      deployments,
      { namespace, name },
      ({ spec }) => (spec as { replicas: number }).replicas === replicas,
    );
  await has('one', 5);
  t.match(await member.get(deployments, { namespace, name: 'one' }), { spec: { replicas: 5 } }, 'it is retained');

  const move = { type: 'merge', patch: { spec: { scaleTargetRef: { name: 'two' } } } } as const;
  await client.patch(hpas, { namespace, name: 'a' }, move);
  await is('two', 'true');
  t.match(await client.get(deployments, { namespace, name: 'one' }), { metadata: { labels: { [label]: 'true' } } });
  await client.delete(hpas, { namespace, name: 'b' });
  await is('one', undefined);
  await client.delete(hpas, { namespace, name: 'a' });
  await is('two', undefined);
});

t.test('the replicas of a status count when all members have reported them', async t => {
  const template = { ...deployment('web', 3), status: { replicas: 3 } };
  const item = (clusterName: string, replicas?: number) => ({ clusterName, status: { replicas } });
  const binding = (more: object = {}, status: object = {}): Binding => ({
    ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata: { name: 'b', generation: 4 } },
    spec: { replicas: 3, clusters: [{ name: 'a' }, { name: 'b' }], resource: {}, ...more } as never,
    status: { schedulerObservedGeneration: 4, aggregatedStatus: [item('a', 1), item('b', 2)], ...status },
  });
  t.ok(isStatusCollected(template, binding()));
  t.notOk(isStatusCollected(template, binding({ replicas: 2 })), 'the binding has other replicas');
  t.notOk(isStatusCollected(template, binding({ clusters: [{ name: 'a' }] })), 'a cluster is no target any more');
  t.notOk(isStatusCollected(template, binding({}, { schedulerObservedGeneration: 3 })), 'not scheduled yet');
  for (const second of [item('b', 0), item('b'), { clusterName: 'b' }, item('b', 1)])
    t.notOk(isStatusCollected(template, binding({}, { aggregatedStatus: [item('a', 1), second] })));
});
