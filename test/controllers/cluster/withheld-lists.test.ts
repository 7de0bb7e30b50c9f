/** A member whose nodes and pods cannot be listed is ready, and its kinds are known, at the usual time. */
import t, { type Test } from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { comesAbout } from '../control-plane.js';
import { joinedMember, type MemberServer, memberServer } from './member-server.js';

/** Milliseconds by which an observation may take longer than that of a member that answers. Once it waited ten seconds for the lists. */
const allowanceMs = 8_000;

const isReady = (object: object): boolean => {
  const { status } = object as Cluster;
  return findCondition(status?.conditions, 'Ready')?.status === 'True' && Boolean(status?.apiEnablements?.length);
};

const settings = { frequencyMs: 3_600_000 }; // the next period never comes

/** Joins a member and returns its control plane with the first status that shows it as ready, and how long that took. */
async function joinedAndReady(t: Test, member: MemberServer) {
  const began = performance.now();
  const control = await joinedMember(t, member, settings);
  const { status } = (await comesAbout(control, resources.clusters, { name: 'member1' }, isReady)) as Cluster;
  return { control, status, milliseconds: performance.now() - began };
}

const usualMs = async (t: Test): Promise<number> => (await joinedAndReady(t, await memberServer(t))).milliseconds;

t.test('a member that forbids nodes and pods', async t => {
  const member = await memberServer(t);
  for (const path of ['/api/v1/nodes', '/api/v1/pods']) member.documents.set(path, 403);
  const { status, milliseconds } = await joinedAndReady(t, member);
  t.ok(milliseconds < (await usualMs(t)) + allowanceMs, 'the observation did not wait for the lists');
  t.notOk(status?.nodeSummary);
  t.notOk(status?.resourceSummary);
});

t.test('a member whose list of pods hangs, and is answered later', async t => {
  const member = await memberServer(t);
  const release = member.hold('/api/v1/pods');
  const { control, status, milliseconds } = await joinedAndReady(t, member);
  t.ok(milliseconds < (await usualMs(t)) + allowanceMs, 'the observation did not wait for the list');
  t.equal(member.held, 1, 'the list is still awaited');
  t.notOk(status?.resourceSummary);
  release();
  await comesAbout(control, resources.clusters, { name: 'member1' }, object =>
    Boolean((object as Cluster).status?.resourceSummary),
  );
});
