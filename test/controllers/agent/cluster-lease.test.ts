/** The Lease of a cluster is renewed for as long as there is a Cluster. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { renewClusterLease } from '../../../controllers/agent/cluster-lease.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { until } from '../../storage/until.js';

t.test('the Lease is renewed until the Cluster is gone', async t => {
  const metadata = { name: 'edge', uid: 'u' };
  let cluster: object | undefined = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata };
  let writes = 0;
  let waits = 0;
  const write = async (_: object, lease: KubeObject): Promise<KubeObject> => {
    writes++;
    return lease;
  };
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const clock = {
    ...systemClock,
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      waits++;
      return systemClock.sleep(milliseconds, signal);
    },
  };
  const context = {
    ...{ log: silent, clock, signal: ending.signal, client: { create: write, update: write } },
    informers: { informer: () => ({ synced: Promise.resolve(), get: () => cluster }) },
  } as unknown as ControllerContext;
  const done = renewClusterLease(context, { cluster: 'edge', durationMs: 20, renewFraction: 0.25 });
  const more = (): Promise<void> => {
    const wanted = writes + 2;
    return until('renewals', () => writes >= wanted, 10_000);
  };
  await more();
  cluster = { ...cluster, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  await more();
  cluster = undefined;
  const [written, waited] = [writes, waits];
  await until('further looks', () => waits >= waited + 3);
  t.equal(writes, written, 'nothing is written without a Cluster');
  ending.abort();
  await done;
});
