/** A process of the control plane that is suspended while it has the tunnel of a member. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import { configMaps, leases, nodes } from '../../../api/kubernetes/resources.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { until } from '../../storage/until.js';
import { startBalancer } from '../balancer.js';
import { ControlPlane, startPulledMember } from './pull-mode.js';
import { balance, holds, startAgent, startReplica, through, untilReached } from './tunnel-processes.js';

const portOf = ({ url }: ControlPlane): number => Number(new URL(url).port);

/** Requests one after the other until they are stopped. `failures`: the errors so far. */
function repeatedly(request: () => Promise<unknown>) {
  const failures: unknown[] = [];
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await request().catch((error: unknown) => failures.push(error));
      await pause(50, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  const stop = (): Promise<void> => {
    stopping.abort();
    return running;
  };
  return { failures, stop };
}

t.test(
  'requests through it end, its agent comes back to another one, and others go on',
  { skip: withoutEtcd },
  async t => {
    const etcd = await startEtcd(t);
    const args = [`--etcd-servers=${etcd.endpoint}`];
    const a = await ControlPlane.start(t, args);
    const b = await startReplica(t, args, a);
    const balancer = await startBalancer(t);
    balance(t, balancer, a);
    const [member, far] = await Promise.all([startPulledMember(t, 'edge'), startPulledMember(t, 'far')]);
    const agent = await startAgent(t, { plane: a, member, port: balancer.port });
    const farAgent = await startAgent(t, { plane: b, member: far, port: portOf(b), cluster: 'far' });
    await untilReached(t, b, agent);
    await untilReached(t, b, farAgent, 'far');
    t.ok((await holds(a)) && (await holds(b, 'far')), 'each process has a tunnel');
    balance(t, balancer, b);
    await until('the balancer uses both', () => balancer.size === 2);

    const throughA = through(t, b);
    const { metadata } = await throughA.list(configMaps, { namespace: 'default' });
    const query = { namespace: 'default', resourceVersion: metadata.resourceVersion ?? '' };
    let seen = 0;
    const watching = (async () => {
      for await (const event of throughA.watch(configMaps, query, new AbortController().signal))
        if (event.type === 'ADDED') seen++;
    })().catch(() => undefined);
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen', namespace: 'default' } };
    await member.client.create(configMaps, configMap);
    await until('the watch goes through both processes', () => seen > 0);
    const throughB = through(t, b, 'far');
    const lease = { namespace: 'karmada-cluster', name: 'edge' };
    const renewed = async () => (await b.client.get(leases, lease))['spec'];
    const others = repeatedly(() => throughB.list(nodes));
    a.child.kill('SIGSTOP');
    const before = await renewed();

    // It fails, or is answered through the next tunnel if the agent has opened it meanwhile. The client would wait for longer, and fail without a status.
    const failure = await throughA.list(nodes).then(
      () => undefined,
      (error: unknown) => error,
    );
    t.ok(failure === undefined || failure instanceof StatusError, `a request through it ends: ${String(failure)}`);
    let hasEnded = false;
    void watching.then(() => (hasEnded = true));
    await until('a watch through it ends', () => hasEnded);
    await untilReached(t, b, agent);
    t.ok(await holds(b), 'the agent has opened its tunnel to the other process');
    await agent.until('its Lease is renewed', async () => JSON.stringify(await renewed()) !== JSON.stringify(before));
    await others.stop();
    t.strictSame(others.failures.map(errorText), [], 'the other member was reached all the time');

    a.child.kill('SIGCONT');
    await untilReached(t, a, agent);
    await until('the process that was suspended has no tunnel', async () => !(await holds(a)));
    await untilReached(t, a, farAgent, 'far');
    t.ok(await holds(b));
  },
);
