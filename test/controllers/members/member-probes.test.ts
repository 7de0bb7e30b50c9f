/** A request of its own shows whether a failure is one of the whole member. */
import t, { type Test } from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import { failure, serviceUnavailable, unauthorized } from '../../../apimachinery/errors/status.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import type { ConnectMember } from '../../../controllers/members/member-watch.js';
import { MemberProbes, noticingAnswer } from '../../../controllers/members/member-probes.js';
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

const ignore = (): void => undefined;

t.test('failures while the member answers are not failures of the member', async t => {
  const { connect } = await started(t);
  const answered: string[] = [];
  const probes = new MemberProbes(connect, name => answered.push(name));
  for (const error of [unauthorized(), serviceUnavailable('an aggregated API'), refused]) {
    t.equal(await probes.isDown(cluster, error), false, error.message);
    t.same(answered.splice(0), ['member1'], 'the answer to the probe is one of the member');
  }
});

t.test('several connections that are broken do not show that a member is down', async t => {
  const { front, connect } = await started(t);
  const answered: string[] = [];
  const probes = new MemberProbes(connect, name => answered.push(name));
  const left = ['reset' as const, 'reset' as const];
  front.set({ kind: 'answers', left, matches: ({ url }) => url === '/version' });
  t.equal(await probes.isDown(cluster, refused), false);
  t.same(left, []);
  t.same(answered, ['member1']);
});

t.test('any answer but those of a member that refuses everything is noticed', async t => {
  let answers = 0;
  const settled = (request: Promise<unknown>): Promise<unknown> =>
    noticingAnswer(request, () => answers++).catch((error: unknown) => error);
  t.equal(await settled(Promise.resolve('result')), 'result');
  t.equal(answers, 1);
  for (const code of [403, 404, 409, 500]) await settled(Promise.reject(failure(code, '', 'refused')));
  t.equal(answers, 5);
  for (const code of [401, 429, 503])
    t.match(await settled(Promise.reject(failure(code, '', 'refused'))), { status: { message: 'refused' } });
  t.equal(await settled(Promise.reject(refused)), refused);
  t.equal(answers, 5);
});

t.test('a member that refuses or breaks all requests is down', async t => {
  const { front, connect } = await started(t);
  const down = (): void => void t.fail('the member has not answered');
  for (const code of [401, 429, 503]) {
    front.set({ kind: 'answer', code });
    t.equal(await new MemberProbes(connect, down).isDown(cluster, failure(code, '', 'refused')), true, String(code));
  }
  front.set({ kind: 'reset' });
  const probes = new MemberProbes(connect, down);
  t.same(
    await Promise.all(Array.from({ length: 20 }, () => probes.isDown(cluster, refused))),
    Array(20).fill(true),
    'a broken connection',
  );
  t.equal(front.requests, 3, 'failures at the same time share a probe, which tries further connections');
  t.equal(await probes.isDown(cluster, failure(403, 'Forbidden', 'forbidden')), false, 'an answer is not checked');
});

t.test('a member that cannot be connected is not to blame', async t => {
  const probes = new MemberProbes(() => Promise.reject(refused), ignore);
  t.equal(await probes.isDown(cluster, refused), false);
});
