/** A request of its own shows whether a failure is one of the whole member. */
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { failure, serviceUnavailable, unauthorized } from '../../../apimachinery/errors/status.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { createInformerFactory } from '../../../client/runtime/informer.js';
import type { ConnectMember } from '../../../controllers/members/member-watch.js';
import { MemberProbes } from '../../../controllers/members/member-probes.js';
import { systemClock } from '../../../lib/clock.js';
import { silent } from '../../../server/logger.js';
import { memberServer, object } from '../../aggregation/fleet.js';
import { accountToken } from '../work/work-fixture.js';
import { faultyFront, type FaultyFront } from '../faults/faulty-front.js';

const cluster = object('cluster.karmada.io/v1alpha1', 'Cluster', 'member1') as Cluster;
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

async function started(t: Test): Promise<{ readonly front: FaultyFront; readonly connect: ConnectMember }> {
  const member = await memberServer(t);
  const front = await faultyFront(t, member);
  const endpoint = { server: front.url, ca: front.authority, token: await accountToken(member) };
  const client = remote(endpoint, { userAgent: 'test/1.0', attempts: 1 });
  t.teardown(() => client.close());
  const { signal } = new AbortController();
  const informers = createInformerFactory({ client, signal, clock: systemClock, log: silent });
  const context = { client, signal, informers };
  return { front, connect: () => Promise.resolve(context) };
}

t.test('failures while the member answers are not failures of the member', async t => {
  const { connect } = await started(t);
  const probes = new MemberProbes(connect);
  for (const error of [unauthorized(), serviceUnavailable('an aggregated API'), refused])
    t.equal(await probes.isDown(cluster, error), false, error.message);
});

t.test('a member that refuses or breaks all requests is down', async t => {
  const { front, connect } = await started(t);
  for (const code of [401, 429, 503]) {
    front.set({ kind: 'answer', code });
    t.equal(await new MemberProbes(connect).isDown(cluster, failure(code, '', 'refused')), true, String(code));
  }
  front.set({ kind: 'reset' });
  const probes = new MemberProbes(connect);
  t.same(
    await Promise.all(Array.from({ length: 20 }, () => probes.isDown(cluster, refused))),
    Array(20).fill(true),
    'a broken connection',
  );
  t.equal(front.requests, 2, 'failures at the same time share a probe, which tries a second connection');
  t.equal(await probes.isDown(cluster, failure(403, 'Forbidden', 'forbidden')), false, 'an answer is not checked');
});

t.test('a member that cannot be connected is not to blame', async t => {
  const probes = new MemberProbes(() => Promise.reject(refused));
  t.equal(await probes.isDown(cluster, refused), false);
});
