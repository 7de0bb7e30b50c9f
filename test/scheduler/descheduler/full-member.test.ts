/** A member that is full after the scheduler has looked: the descheduler moves the Pods that wait there. */
import t from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import type { Binding, Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { descheduler } from '../../../cli/parts/descheduler.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { kubernetesControllers } from '../../../cli/parts/kubernetes-controllers.js';
import { parseMembers } from '../../../cli/members-file.js';
import { parseFlags } from '../../../cli/flags/flags.js';
import { MemberEstimators } from '../../../cli/parts/member-estimators.js';
import { MemberMirrors } from '../../../cli/parts/member-mirrors.js';
import { SimulatedMembers } from '../../../cli/up/simulated-members.js';
import { scheduler } from '../../../cli/parts/scheduler.js';
import { parseSchedulerSettings, schedulerFlags } from '../../../cli/flags/karmada/scheduler.js';
import { isClusterReady } from '../../../kinds/karmada/conditions.js';
import type { AccurateEstimator } from '../../../scheduler/interface.js';
import { silent } from '../../../server/logger.js';
import { core, object } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder } from '../../apiserver/running.js';
import { comesAbout } from '../../controllers/control-plane.js';
import { deployments } from '../../registry/serve.js';

const all = (): boolean => true;
const pods = core('pods');

/** Clusters are observed once, and when their spec changes. */
const probing = { frequencyMs: 3_600_000, thresholds: { successMs: 0, failureMs: 0 } };

const podSpec = (cpu: string) => ({ containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu } } }] });

const policy = (clusterNames: readonly string[], replicaSchedulingType = 'Divided') => ({
  resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
  placement: {
    clusterAffinity: { clusterNames },
    replicaScheduling: { replicaSchedulingType, replicaDivisionPreference: 'Aggregated' },
  },
});

const cpuUsed = (cluster: Cluster): string | undefined => cluster.status?.resourceSummary?.allocated?.['cpu'];

const isPending = (pod: object): boolean => !(pod as { spec: { nodeName?: string } }).spec.nodeName;

t.test('Pods that find no room move to another member', async t => {
  const directory = await temporaryFolder(t);
  const members = new SimulatedMembers({ described: parseMembers('2'), directory, host: '127.0.0.1', port: 0 }, silent);
  const mirrors = new MemberMirrors({ forEstimates: true });
  const settings = parseSchedulerSettings(parseFlags(schedulerFlags, ['--enable-scheduler-estimator']).values);
  const estimators = settings.estimators && new MemberEstimators(settings.estimators, mirrors);
  if (!estimators) throw new Error('there are no estimators');
  /** The estimator is not asked at first. */
  let isAsked = false;
  const use = () => {
    const shared = estimators.use();
    const unschedulableReplicas: AccurateEstimator['unschedulableReplicas'] = (...question) =>
      isAsked ? shared.estimator.unschedulableReplicas(...question) : Promise.resolve(undefined);
    return { estimator: { unschedulableReplicas }, end: shared.end };
  };
  const server = await runningServer(t, {
    parts: [
      ...[estimators.part, members.part, kubernetesControllers(all)],
      ...[karmadaControllers(all, undefined, { probing }, mirrors), scheduler()],
      descheduler({ intervalMs: 100, thresholdMs: 0 }, { use }),
    ],
  });
  const { client } = server;
  const clusterIs = (name: string, holds: (cluster: Cluster) => boolean) =>
    comesAbout(server, resources.clusters, { name }, found => holds(found as Cluster));
  for (const name of ['member1', 'member2'])
    await clusterIs(name, cluster => isClusterReady(cluster) && cluster.status?.resourceSummary !== undefined);
  const connections = createMembers(client, 'test');
  t.teardown(() => connections.close());
  const { client: member } = await connections.connect(await client.get(resources.clusters, { name: 'member1' }));

  for (const name of ['a', 'b', 'c'])
    await member.create(pods, object('v1', 'Pod', name, { metadata: { namespace: 'default' }, spec: podSpec('60') }));
  for (const name of ['a', 'b', 'c'])
    await comesAbout({ ...server, client: member }, pods, { namespace: 'default', name }, pod => !isPending(pod));
  const metadata = { namespace: 'default' };
  // A copy of all replicas needs no room: the Pods may have been observed before, since a cluster whose taints are removed is observed again.
  const first = policy(['member1'], 'Duplicated');
  await client.create(
    resources.propagationPolicies,
    object('policy.karmada.io/v1alpha1', 'PropagationPolicy', 'web', { metadata, spec: first }),
  );
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: podSpec('20') };
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  await client.create(deployments, object('apps/v1', 'Deployment', 'web', { metadata, spec }));
  const key = { namespace: 'default', name: 'web-deployment' };
  const targets = (found: object): string =>
    ((found as Binding).spec.clusters ?? []).map(({ name, replicas = 0 }) => `${name}:${replicas}`).join();
  await comesAbout(server, resources.resourceBindings, key, found => targets(found) === 'member1:3');

  await client.patch(
    resources.propagationPolicies,
    { namespace: 'default', name: 'web' },
    { type: 'merge', patch: { spec: policy(['member1', 'member2']) } },
  );
  await client.patch(resources.clusters, { name: 'member1' }, { type: 'merge', patch: { spec: { provider: 'p' } } });
  await clusterIs('member1', cluster => Number(cpuUsed(cluster)) >= 180);
  isAsked = true;
  const { spec: moved } = (await comesAbout(server, resources.resourceBindings, key, found =>
    ((found as Binding).status?.aggregatedStatus ?? []).some(
      ({ clusterName, status }) => clusterName === 'member2' && status?.['readyReplicas'] === 3,
    ),
  )) as Binding;
  t.match(moved.clusters, [{ name: 'member2', replicas: 3 }]);
});
