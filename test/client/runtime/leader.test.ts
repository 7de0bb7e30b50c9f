/** Two replicas of a component share one Lease: one leads, and the other takes over when it ends. */
import t from 'tap';
import { Registry } from 'prom-client';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Client } from '../../../client/interface.js';
import { notFound } from '../../../apimachinery/errors/status.js';
import { meter } from '../../../apiserver/metrics/meter.js';
import { silent } from '../../../server/logger.js';
import { systemClock } from '../../../lib/clock.js';
import { runWithLeader } from '../../../client/runtime/leader.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const key = { namespace: 'default', name: 'component' };

t.test('one leads, the other takes over', async t => {
  const { client } = await runningServer(t);
  const leading = new Set<string>();
  let most = 0;
  const run = (identity: string): { stop: () => Promise<void>; status: () => Promise<string | undefined> } => {
    const registry = new Registry();
    const ending = new AbortController();
    const done = runWithLeader({
      ...{ client, clock: systemClock, log: silent, identity, signal: ending.signal, meter: meter(registry) },
      ...{ namespace: key.namespace, name: key.name, leaseMs: 2000, renewMs: 1500, retryMs: 50 },
      lead: signal =>
        new Promise(resolve => {
          leading.add(identity);
          most = Math.max(most, leading.size);
          const leave = (): void => {
            leading.delete(identity);
            resolve();
          };
          if (signal.aborted) leave();
          else signal.addEventListener('abort', leave, { once: true });
        }),
    });
    const stop = async (): Promise<void> => {
      ending.abort();
      await done;
    };
    const status = async (): Promise<string | undefined> =>
      (await registry.metrics())
        .split('\n')
        .find(line => line.startsWith('leader_election_master_status{name="component"}'));
    return { stop, status };
  };
  const holder = async (): Promise<string | undefined> =>
    ((await client.get(leases, key))['spec'] as { holderIdentity?: string }).holderIdentity;

  const first = run('first');
  await until('a leader', () => leading.has('first'));
  const second = run('second');
  t.equal(await holder(), 'first');
  t.equal(await first.status(), 'leader_election_master_status{name="component"} 1');
  t.equal(await second.status(), 'leader_election_master_status{name="component"} 0');
  await first.stop();
  await until('the other one to lead', () => leading.has('second'));
  t.equal(await holder(), 'second');
  t.match(await first.status(), / 0$/);
  t.match(await second.status(), / 1$/);
  await second.stop();
  t.equal(leading.size, 0);
  t.equal(most, 1, 'there are never two leaders at once');
  t.notOk(await holder(), 'the last replica releases the lease');
});

t.test(
  'a leader whose write of the Lease has no answer stops at the renew deadline, and ignores a late one',
  async t => {
    let stored: KubeObject | undefined;
    let reads = 0;
    let leads = 0;
    let ended = 0;
    const updates: KubeObject[] = [];
    let answerLate = (): void => undefined;
    const client = {
      get: async () => {
        reads++;
        if (stored) return stored;
        throw notFound(leases, key.name);
      },
      create: async (_: object, lease: KubeObject) => (stored = lease),
      update: (_: object, lease: KubeObject) => {
        updates.push(lease);
        return new Promise(resolve => (answerLate = () => resolve(lease)));
      },
    } as unknown as Client;
    const ending = new AbortController();
    t.teardown(() => ending.abort());
    const done = runWithLeader({
      ...{ client, clock: systemClock, log: silent, identity: 'first', signal: ending.signal },
      ...{ namespace: key.namespace, name: key.name, leaseMs: 3_600_000, renewMs: 300, retryMs: 10 },
      lead: async signal => {
        leads++;
        if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
        ended++;
      },
    });
    await until('the renewal', () => updates.length === 1);
    t.equal(leads - ended, 1, 'the work goes on while the answer is awaited');
    stored = { ...stored, spec: { holderIdentity: 'second', leaseDurationSeconds: 3600 } } as KubeObject;
    await until('the end of the lead', () => ended === 1);
    const readsOf = (more: number): Promise<void> => {
      const wanted = reads + more;
      return until('further attempts', () => reads >= wanted);
    };
    await readsOf(2);
    answerLate();
    await readsOf(3);
    t.equal(leads, 1, 'another one holds the Lease');
    t.equal(updates.length, 1, 'the Lease of the late answer is not renewed');
    ending.abort();
    await done;
  },
);
