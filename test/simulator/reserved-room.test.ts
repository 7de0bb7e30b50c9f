/** The room that is reserved for a Pod while it is created is free again, for Pods that wait, when the creation has ended. */
import t, { type Test } from 'tap';
import type { Pod } from '../../openapi/gen/core-v1.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import { createControllerContext } from '../../client/runtime/context.js';
import { systemClock } from '../../lib/clock.js';
import { silent } from '../../server/logger.js';
import { startKubelets } from '../../simulator/pods/kubelet.js';
import { runningServer } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const namespace = 'default';
const podOf = (name: string, cpu: string): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name } },
  spec: {
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu, memory: '1Mi' } } }],
  },
});

/** Starts a server with one node of one CPU, and its scheduler. */
async function scene(t: Test) {
  const { client } = await runningServer(t);
  const stopping = new AbortController();
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stopping.signal });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  const node = await client.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  const status = { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } };
  await client.update(nodes, { ...node, status }, { subresource: 'status' });
  const placement = startKubelets(context, 'm');
  const get = async (name: string): Promise<Pod> => await client.get(pods, { namespace, name });
  const runs = (name: string): Promise<void> =>
    until(`${name} runs`, async () => (await get(name)).status?.phase === 'Running', 30_000);
  await client.create(pods, podOf('first', '100m'));
  await runs('first');
  /** Creates a Pod, and resolves when the scheduler has found it to fit no node. */
  const waits = async (name: string, cpu: string): Promise<void> => {
    await client.create(pods, podOf(name, cpu));
    await until(`${name} fits no node`, async () => {
      const [condition] = (await get(name)).status?.conditions ?? [];
      return condition?.reason === 'Unschedulable';
    });
  };
  return { client, placement, runs, waits };
}

t.test('a Pod that waits gets the room of one that could not be created', async t => {
  const { placement, runs, waits } = await scene(t);
  const refused = placement.createPlaced(podOf('refused', '700m'), async ({ spec }) => {
    t.equal(spec?.nodeName, 'n');
    await waits('waiting', '600m');
    await waits('large', '2'); // When it waits, the scheduler has seen the status of the other one.
    throw new Error('refused');
  });
  await t.rejects(refused, { message: 'refused' });
  await runs('waiting');
});

t.test('a Pod that waits is tried again when the room of a new one was counted twice', async t => {
  const { client, placement, runs, waits } = await scene(t);
  await placement.createPlaced(podOf('new', '400m'), async placed => {
    const made = (await client.create(pods, placed)) as Pod;
    await runs('new');
    await waits('waiting', '500m');
    await waits('large', '2');
    return made;
  });
  await runs('waiting');
  t.pass('both run');
});
