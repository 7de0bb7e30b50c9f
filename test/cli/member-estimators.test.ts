/** The estimator that the scheduler, the descheduler and explanations share: it has connections while one of them uses it. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { resources } from '../../api/karmada/well-known.js';
import { services } from '../../api/kubernetes/resources.js';
import { withLeaderElection } from '../../cli/parts/elected.js';
import { MemberEstimators } from '../../cli/parts/member-estimators.js';
import { MemberMirrors } from '../../cli/parts/member-mirrors.js';
import { scheduler } from '../../cli/parts/scheduler.js';
import { parseFlags } from '../../cli/flags/flags.js';
import { parseSchedulerSettings, schedulerFlags } from '../../cli/flags/karmada/scheduler.js';
import type { Part } from '../../server/parts.js';
import { type EstimatorHandler, serveGrpc } from '../../scheduler/estimators/grpc/server.js';
import { writeCount } from '../../scheduler/estimators/protocol/messages.js';
import { core, object } from '../aggregation/fleet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';
import { binding, cluster } from '../scheduler/objects.js';

const { signal } = new AbortController();
const query = { clusters: [cluster('m1')], spec: binding({ replicas: 1 }).spec };
const request = { namespace: 'default', object: 'x', requirements: undefined, assumed: () => [] };

/** Serves an estimator that answers 2 behind a port that counts connections. */
async function countedEstimator(t: Test) {
  const two: EstimatorHandler = () => Promise.resolve(writeCount(2));
  const handlers = { MaxAvailableReplicas: two, MaxAvailableComponentSets: two, GetUnschedulableReplicas: two };
  const server = await serveGrpc({ host: '127.0.0.1', port: 0, handlers });
  t.teardown(() => server.close());
  const seen = { open: 0, all: 0 };
  const sockets = new Set<net.Socket>();
  const front = net.createServer(socket => {
    seen.open++;
    seen.all++;
    const behind = net.connect(server.port, '127.0.0.1');
    for (const end of [socket, behind]) {
      sockets.add(end);
      end.on('error', () => undefined).on('close', () => [socket, behind].forEach(each => each.destroy()));
    }
    socket.on('close', () => seen.open--);
    socket.pipe(behind).pipe(socket);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.teardown(() => {
    front.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (front.address() as AddressInfo).port, seen };
}

/** Starts a server with the estimators, and one cluster that has one. */
async function start(t: Test, more: (estimators: MemberEstimators) => readonly Part[] = () => []) {
  const { port, seen } = await countedEstimator(t);
  const { estimators: settings } = parseSchedulerSettings(
    parseFlags(schedulerFlags, ['--enable-scheduler-estimator']).values,
  );
  if (!settings) throw new Error('there are no estimators');
  const estimators = new MemberEstimators(settings, new MemberMirrors({ forEstimates: true }));
  t.same(await estimators.answer(query, signal), new Map(), 'its part has not started');
  t.throws(() => estimators.use());
  const server = await runningServer(t, { profile: 'karmada', parts: [estimators.part, ...more(estimators)] });
  const { client } = server;
  const namespace = 'karmada-system';
  await client.create(core('namespaces'), object('v1', 'Namespace', namespace)).catch(() => undefined); // it may exist
  await client.create(services, {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'karmada-scheduler-estimator-m1', namespace } },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: 10352, targetPort: port }] },
  });
  const spec = { syncMode: 'Push', apiEndpoint: 'https://m1.example.com' };
  await client.create(resources.clusters, object('cluster.karmada.io/v1alpha1', 'Cluster', 'm1', { spec }));
  return { client, estimators, seen };
}

t.test('connections are closed after the last use', async t => {
  const { estimators, seen } = await start(t);
  const [first, second] = [estimators.use(), estimators.use()];
  t.equal(first.estimator, second.estimator);
  await until('it is connected', () => seen.open === 1);
  first.end();
  first.end();
  const table = await second.estimator.maxAvailableReplicas(request, query.clusters, signal);
  t.same(table, new Map([['m1', 2]]));
  second.end();
  await until('it is not connected', () => seen.open === 0);

  await until('a decision that is explained connects', async () => (await estimators.answer(query, signal)).size === 1);
  const { all } = seen;
  t.same(await estimators.answer(query, signal), new Map([['m1', 2]]));
  t.equal(seen.all, all, 'the connection stays for the next ones');
});

t.test('a scheduler that loses the lead leaves no connections', async t => {
  const lease = { namespace: 'default', name: 'karmada-scheduler' };
  const election = { leaseMs: 4000, renewMs: 2000, retryMs: 200 };
  const { client, seen } = await start(t, estimators => [
    withLeaderElection(scheduler(undefined, estimators), lease.namespace, election),
  ]);
  await until('it leads', () => seen.open === 1);
  const spec = { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime: '2999-01-01T00:00:00.000000Z' };
  await client.patch({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' }, lease, {
    type: 'merge',
    patch: { spec },
  });
  await until('it is not connected', () => seen.open === 0);
});
