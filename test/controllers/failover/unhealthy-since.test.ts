/** The times of the failover of applications, across restarts. */
import path from 'node:path';
import t, { type Test } from 'tap';
import type { Binding, Health } from '../../../api/karmada/types.js';
import { annotations, labels, resources } from '../../../api/karmada/well-known.js';
import { karmadaControllers } from '../../../cli/parts/karmada-controllers.js';
import { object } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const web = { namespace: 'default', name: 'web-deployment' };
const off = ['detector', 'clusterStatus', 'binding', 'bindingStatus', 'execution', 'gracefulEviction'];

async function configOf(t: Test) {
  const directory = await temporaryFolder(t);
  return {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
    parts: [karmadaControllers(name => !off.includes(name))],
  } as const;
}

/** Creates a binding whose application may be unhealthy for an hour. */
const create = ({ client }: TestServer): Promise<unknown> =>
  client.create(
    resources.resourceBindings,
    object('work.karmada.io/v1alpha2', 'ResourceBinding', web.name, {
      metadata: { namespace: web.namespace, labels: { [labels.propagationPolicyId]: 'p' } },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
        ...{ propagateDeps: true, clusters: [{ name: 'm1' }, { name: 'm2' }] },
        failover: { application: { decisionConditions: { tolerationSeconds: 3600 }, purgeMode: 'Directly' } },
      },
    }),
  );

const bindingOf = async ({ client }: TestServer): Promise<Binding> =>
  (await client.get(resources.resourceBindings, web)) as Binding;

const noteOf = async (server: TestServer): Promise<string | undefined> =>
  (await bindingOf(server)).metadata.annotations?.[annotations.unhealthySince];

async function report({ client }: TestServer, health: Health): Promise<void> {
  const aggregatedStatus = [{ clusterName: 'm1', applied: true, health }];
  const patch = { status: { aggregatedStatus } };
  await client.patch(resources.resourceBindings, web, { type: 'merge', patch }, { subresource: 'status' });
}

const noted = (server: TestServer, isNoted: boolean): Promise<void> =>
  until('the note', async () => ((await noteOf(server)) !== undefined) === isNoted);

t.test('the time for which an application is unhealthy goes on after a restart', async t => {
  const config = await configOf(t);
  const first = await runningServer(t, config);
  await create(first);
  await report(first, 'Unhealthy');
  await noted(first, true);
  const note = await noteOf(first);
  const { generation } = (await bindingOf(first)).metadata;
  await first.stop();

  const second = await runningServer(t, config);
  const reconciled =
    /^controller_runtime_reconcile_total\{controller="resource-binding-application-failover-controller".*"\} [1-9]/m;
  await until('the binding is evaluated', async () => reconciled.test(await second.metrics.metrics()));
  t.equal(await noteOf(second), note);
  t.equal((await bindingOf(second)).metadata.generation, generation);
  await report(second, 'Healthy');
  await noted(second, false);
  await report(second, 'Unhealthy');
  await noted(second, true);
  t.not(await noteOf(second), note, 'the time has started again');
  await second.stop();

  // The annotation is of a time two hours ago, as if the servers had been down for so long.
  const third = await runningServer(t, { ...config, parts: [] });
  const since = new Date(Date.now() - 7_200_000).toISOString();
  const patch = { metadata: { annotations: { [annotations.unhealthySince]: JSON.stringify({ m1: since }) } } };
  await third.client.patch(resources.resourceBindings, web, { type: 'merge', patch });
  await third.stop();
  const fourth = await runningServer(t, config);
  await until('the application is evicted', async () => (await bindingOf(fourth)).spec.clusters?.length === 1);
  const { metadata, spec } = await bindingOf(fourth);
  t.match(spec.gracefulEvictionTasks, [{ fromCluster: 'm1', reason: 'ApplicationFailure' }]);
  t.equal(metadata.annotations?.[annotations.unhealthySince], undefined);
});
