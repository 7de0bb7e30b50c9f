/** A Work's first conditions wait for its first status while the process is under load. */
import path from 'node:path';
import t, { type Test } from 'tap';
import { createMembers } from '../../../aggregation/members/members.js';
import type { ServerConfig } from '../../../server/config.js';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { componentContext } from '../../../client/runtime/component.js';
import { createHeldConditions } from '../../../controllers/work/held-conditions.js';
import { memberContexts } from '../../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../../controllers/members/member-watch.js';
import { startExecutionController } from '../../../controllers/work/execution.js';
import { startWorkStatusController } from '../../../controllers/work/work-status.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { CachedEvent, Client } from '../../../client/interface.js';
import { cachedReader } from '../../../client/watch/cached-reader.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import type { Cluster, Work } from '../../../api/karmada/types.js';
import { annotations, finalizers, labels as known, resources } from '../../../api/karmada/well-known.js';
import { core, grant, joinMember, memberServer } from '../../aggregation/fleet.js';
import { runningServer, temporaryFolder, type TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';

const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };
const inNamespace = { namespace: 'default', name: 'app' };
const workKey = { namespace: 'karmada-es-member1', name: 'app' };

/** A gate for events: while it is closed, events wait in order. */
class Gate {
  #opened = Promise.resolve();
  #open = (): void => undefined;

  get opened(): Promise<void> {
    return this.#opened;
  }

  close(): void {
    this.#opened = new Promise(resolve => (this.#open = resolve));
  }

  open(): void {
    this.#open();
  }
}

/** A client whose mirrors of Works get their events through the gate. */
function gated(client: Client, gate: Gate): Client {
  const reader = cachedReader(client);
  async function* watch(...[resource, query, signal]: Parameters<typeof reader.watch>): AsyncGenerator<CachedEvent> {
    for await (const event of reader.watch(resource, query, signal)) {
      if (resource.resource === 'works') await gate.opened;
      yield event;
    }
  }
  return { ...client, cached: { ...reader, watch } };
}

/** Starts the two controllers of Works as if the process were always under load. */
const works = (patienceMs: number, gate = new Gate()): Part => ({
  name: 'works',
  start(part) {
    const clientFor: typeof part.clientFor = (...who) => gated(part.clientFor(...who), gate);
    const context = componentContext({ ...part, clientFor, log: silent }, 'karmada-controller-manager');
    const connections = createMembers(context.client, 'karmada-controller-manager');
    const members = createMemberWatch(memberContexts(connections, context));
    const held = createHeldConditions(context.clock, () => patienceMs);
    const options = { interpreter: nativeInterpreter, members, serves: () => true, held };
    startExecutionController(context, options);
    startWorkStatusController(context, options);
    return Promise.resolve({
      async stop() {
        await connections.close();
        await context.finished();
      },
    });
  },
});

async function setReady({ client }: TestServer, status: 'True' | 'False'): Promise<void> {
  const cluster = (await client.get(resources.clusters, { name: 'member1' })) as Cluster;
  const condition = { type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await client.update(
    resources.clusters,
    { ...cluster, status: { conditions: [condition] } },
    { subresource: 'status' },
  );
}

/** Starts a control plane and a member without a Deployment controller, and applies a Work with a Deployment. */
async function workInMember(
  t: Test,
  patienceMs: number,
  config: Partial<ServerConfig> = {},
  gate?: Gate,
): Promise<{ control: TestServer; member: TestServer }> {
  const parts = [works(patienceMs, gate)];
  const [control, member] = [await runningServer(t, { ...config, parts }), await memberServer(t)];
  await joinMember(control, 'member1', member);
  const account = { kind: 'ServiceAccount', namespace: 'karmada-cluster', name: 'karmada-impersonator' };
  await grant(member.client, 'whole', account, 'cluster-admin');
  await control.client.create(core('namespaces'), {
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: workKey.namespace } },
  });
  await setReady(control, 'True');
  const labels = { app: 'app' };
  const manifest = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...inNamespace, labels: { [known.managed]: 'true' } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const notes = {
    [annotations.workName]: workKey.name,
    [annotations.workNamespace]: workKey.namespace,
    [annotations.templateGeneration]: '1',
  };
  await control.client.create(resources.works, {
    ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work' },
    metadata: { ...workKey, finalizers: [finalizers.execution] },
    spec: { workload: { manifests: [{ ...manifest, metadata: { ...manifest.metadata, annotations: notes } }] } },
  });
  await comesAbout(member, deployments, inNamespace);
  return { control, member };
}

const readWork = async ({ client }: TestServer): Promise<Work> => (await client.get(resources.works, workKey)) as Work;

const told = (server: TestServer, holds: (work: Work) => boolean): Promise<KubeObject> =>
  comesAbout(server, resources.works, workKey, work => holds(work as Work));

t.test('held conditions are written together with the first status', async t => {
  const { control, member } = await workInMember(t, 3_600_000);
  t.notOk((await readWork(control)).status, 'nothing is written before');
  const seen: Work[] = [];
  const watching = new AbortController();
  const { namespace } = workKey;
  const { metadata } = await control.client.list(resources.works, { namespace });
  const { resourceVersion = '' } = metadata;
  const events = control.client.watch(resources.works, { namespace, resourceVersion }, watching.signal);
  const watched = (async () => {
    for await (const { type, object } of events) if (type === 'MODIFIED') seen.push(object as Work);
  })();
  const object = await member.client.get(deployments, inNamespace);
  await member.client.update(
    deployments,
    { ...object, status: { observedGeneration: 1, replicas: 1 } },
    { subresource: 'status' },
  );
  await until('the Work tells', () => seen.length > 0);
  watching.abort();
  await watched;
  const { status } = seen[0] as Work;
  t.match(status?.manifestStatuses, [{ status: { replicas: 1 }, health: 'Unhealthy' }]);
  t.strictSame(
    status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
    [
      ['Dispatching', 'True', 'Dispatching'],
      ['Applied', 'True', 'AppliedSuccessful'],
    ],
  );
});

t.test('held conditions are written without a status after their deadline', async t => {
  const { control } = await workInMember(t, 300);
  const work = (await told(control, isApplied)) as Work;
  t.ok(findCondition(work.status?.conditions, 'Dispatching'));
  t.match(work.status?.manifestStatuses, [{ health: 'Unhealthy' }], 'the known health is written with them');
});

t.test('held conditions are written if the cluster becomes unreachable', async t => {
  const { control, member } = await workInMember(t, 3_600_000);
  await setReady(control, 'False');
  const object = await member.client.get(deployments, inNamespace);
  await member.client.update(deployments, { ...object, status: { replicas: 1 } }, { subresource: 'status' });
  const work = (await told(control, isApplied)) as Work;
  t.notOk(work.status?.manifestStatuses, 'its status is not used any more');
});

t.test('an idle process does not hold conditions', async t => {
  const { control } = await workInMember(t, 0);
  const work = (await told(control, isApplied)) as Work;
  t.notOk(work.status?.manifestStatuses);
});

t.test('a Work that was written with a status is reconciled again after a restart', async t => {
  const directory = await temporaryFolder(t);
  const common = {
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
    pkiDirectory: path.join(directory, 'pki'),
  } as const;
  const { control, member } = await workInMember(t, 3_600_000, common);
  const report = async (replicas: number): Promise<void> => {
    const object = await member.client.get(deployments, inNamespace);
    await member.client.update(deployments, { ...object, status: { replicas } }, { subresource: 'status' });
  };
  const tells = (replicas: number) => (work: Work) =>
    (work.status?.manifestStatuses?.[0]?.status as { replicas?: number } | undefined)?.replicas === replicas;
  await report(1);
  await told(control, tells(1));
  // Only the status controller reads the member for a suspended Work.
  const work = await readWork(control);
  await control.client.update(resources.works, { ...work, spec: { ...work.spec, suspendDispatching: true } });
  await control.stop();
  await report(2);
  const again = await runningServer(t, { ...common, parts: [works(0)] });
  await told(again, tells(2));
  t.pass('the status is current');
});

t.test('a status that arrives before the mirror has the first one is written', async t => {
  const gate = new Gate();
  const { control, member } = await workInMember(t, 300, {}, gate);
  t.teardown(() => gate.open());
  gate.close();
  await told(control, ({ status }) => status?.manifestStatuses !== undefined);
  const report = async (replicas: number): Promise<void> => {
    const object = await member.client.get(deployments, inNamespace);
    await member.client.update(deployments, { ...object, status: { replicas } }, { subresource: 'status' });
    await told(control, ({ status }) => {
      const [manifest] = status?.manifestStatuses ?? [];
      return (manifest?.status as { replicas?: number } | undefined)?.replicas === replicas;
    });
  };
  await report(1);
  t.pass('the Work has the status while the mirror of Works is behind');
  gate.open();
  await report(2);
  t.ok(isApplied(await readWork(control)));
});
