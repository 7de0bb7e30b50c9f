/** Two replicas of a component share one Lease: one leads, and the other takes over when it ends. */
import t from 'tap';
import { Registry } from 'prom-client';
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
