/** Calls of an estimator that end before they are answered, and what its answers read. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { noMeter } from '../../../../client/runtime/meter.js';
import { systemClock } from '../../../../lib/clock.js';
import { silent } from '../../../../lib/logging/interface.js';
import { EstimatorConnection } from '../../../../scheduler/estimators/grpc/connection.js';
import { serveGrpc } from '../../../../scheduler/estimators/grpc/server.js';
import { estimatorHandlers } from '../../../../scheduler/estimators/member/handlers.js';
import { MemberEstimates } from '../../../../scheduler/estimators/member/member-estimates.js';
import { estimatorSeries } from '../../../../scheduler/estimators/member/series.js';
import { MirroredWorkloads } from '../../../../scheduler/estimators/member/workload-readers.js';
import {
  readCount,
  writeReplicasMessage,
  writeSetsMessage,
  writeUnschedulableMessage,
} from '../../../../scheduler/estimators/protocol/messages.js';
import { recorded } from '../../../data.js';
import { longestStall } from '../../../lib/longest-stall.js';
import { mirrorsOf, SetMirror } from './mirror.js';

const cluster = 'm1';
const timeoutMs = 20_000;
const { signal } = new AbortController();

function handlersOf(mirrors: Readonly<Record<string, SetMirror>>, own = cluster) {
  const informers = mirrorsOf(mirrors);
  return estimatorHandlers({
    ...{ cluster: own, clock: systemClock, log: silent, series: estimatorSeries(noMeter) },
    estimates: new MemberEstimates({ informers, usesQuotas: false, usesAssumed: false }),
    workloads: new MirroredWorkloads(informers, {}),
  });
}

const node = (i: number): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${i}` } },
  status: { allocatable: { cpu: '8', pods: '110' } },
});
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };
const unschedulable = writeUnschedulableMessage({ cluster, resource: web, thresholdMs: 0 });
const labels = { app: 'web' };
const owned = (kind: string, name: string, owner: { readonly kind: string; readonly uid: string }): KubeObject => ({
  ...{ apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1', kind },
  metadata: {
    ...{ namespace: 'ns', name, uid: name, labels },
    ownerReferences: [{ apiVersion: 'apps/v1', ...owner, name: owner.uid, controller: true }],
  },
  spec: {},
});

t.test('a call that was cancelled is not computed to the end', async t => {
  const nodes = new SetMirror();
  const count = 2_000;
  nodes.set(...Array.from({ length: count }, (_, i) => node(i)));
  const handlers = handlersOf({ nodes, pods: new SetMirror() });
  const requirements = { namespace: 'ns', resourceRequest: { cpu: '1' } };
  const components = [{ name: 'c', replicas: 3, replicaRequirements: { resourceRequest: { cpu: '1' } } }];
  const replicas = writeReplicasMessage({ cluster, requirements });
  t.equal(readCount(await handlers.MaxAvailableReplicas(replicas, { object: '', signal })), 8 * count);
  for (const [method, message] of [
    ['MaxAvailableReplicas', replicas],
    ['MaxAvailableComponentSets', writeSetsMessage({ cluster, namespace: 'ns', components })],
  ] as const) {
    const call = new AbortController();
    const answer = handlers[method](message, { object: '', signal: call.signal });
    call.abort();
    await t.rejects(answer, { name: 'AbortError' }, method);
  }
});

t.test('a call is not held by a mirror that never gets its first list', async t => {
  const call = new AbortController();
  const answer = handlersOf({}).GetUnschedulableReplicas(unschedulable, { object: '', signal: call.signal });
  call.abort();
  await t.rejects(answer, { name: 'AbortError' });
});

t.test('unschedulable replicas are found without a look at all Pods of the namespace', async t => {
  const [deployments, replicasets, pods] = [new SetMirror(), new SetMirror(), new SetMirror()];
  const template = { metadata: { labels }, spec: {} };
  deployments.set({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'ns', name: 'web', uid: 'd' } },
    spec: { selector: { matchLabels: labels }, template },
  });
  replicasets.set({ ...owned('ReplicaSet', 'current', { kind: 'Deployment', uid: 'd' }), spec: { template } });
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const waiting = (name: string, owner: string, phase = 'Pending') => ({
    ...owned('Pod', name, { kind: 'ReplicaSet', uid: owner }),
    status: { phase, conditions },
  });
  const count = 50_000;
  pods.set(...Array.from({ length: count }, (_, i) => waiting(`other${i}`, 'another')));
  pods.set(waiting('a', 'current'), waiting('b', 'current'), waiting('ended', 'current', 'Failed'));
  pods.set({ ...waiting('foreign', 'current'), metadata: { ...waiting('foreign', 'current').metadata, labels: {} } });
  const handlers = handlersOf({ deployments, replicasets, pods });
  const ask = async (): Promise<number> =>
    readCount(await handlers.GetUnschedulableReplicas(unschedulable, { object: '', signal }));
  const stall = await longestStall(Infinity, async () => void t.equal(await ask(), 2));
  t.comment(`the longest stall of the first answer was ${Math.round(stall)} ms`);
  pods.reads = 0;
  pods.remove('ns/b');
  t.equal(await ask(), 1);
  t.ok(pods.reads < 10, 'a second answer reads the Pods of the ReplicaSet only');
  await t.rejects(
    handlers.GetUnschedulableReplicas(
      writeUnschedulableMessage({ cluster, resource: { ...web, name: 'none' }, thresholdMs: 0 }),
      { object: '', signal },
    ),
    { message: 'deployments.apps "none" not found' },
  );
});

t.test('requests that karmada-scheduler has sent are answered over a socket', async t => {
  const nodes = new SetMirror();
  const ssd = node(1);
  nodes.set(node(0), { ...ssd, metadata: { ...ssd.metadata, labels: { disk: 'ssd' } } });
  const handlers = handlersOf({ nodes, pods: new SetMirror() }, 'member1');
  const server = await serveGrpc({ host: '127.0.0.1', port: 0, handlers });
  t.teardown(() => server.close());
  const connection = await EstimatorConnection.open(`127.0.0.1:${server.port}`, undefined, { timeoutMs });
  t.teardown(() => connection.close());
  const [anything, onSsd] = recorded('estimator-requests.json') as readonly { readonly bytes: string }[];
  const count = async (request: { readonly bytes: string } | undefined): Promise<number> => {
    const message = Buffer.from(request?.bytes ?? '', 'hex');
    return readCount(await connection.call('MaxAvailableReplicas', message, { object: '', timeoutMs, signal }));
  };
  t.equal(await count(anything), 220, 'a replica for each place of a Pod');
  t.equal(await count(onSsd), 110, 'only the node that the request selects');
});
