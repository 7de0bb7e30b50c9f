/** Kinds of a group that a member cannot show for a while do not vanish from the status of its cluster. */
import t, { type Test } from 'tap';
import type { Cluster } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { findCondition } from '../../../kinds/karmada/conditions.js';
import { until } from '../../storage/until.js';
import { comesAbout } from '../control-plane.js';
import {
  aggregatedDiscovery,
  joinedMember,
  type MemberServer,
  memberServer,
  type ServedVersion,
} from './member-server.js';

const key = { name: 'member1' };
const apps: ServedVersion = { group: 'apps', version: 'v1', kinds: ['Deployment'] };
const metrics: ServedVersion = { group: 'metrics.k8s.io', version: 'v1beta1', kinds: ['NodeMetrics', 'PodMetrics'] };

const conditionOf = (object: object) => {
  const { status, reason, message } =
    findCondition((object as Cluster).status?.conditions, 'CompleteAPIEnablements') ?? {};
  return { status, reason, message };
};
const reasonIs = (reason: string) => (object: object) => conditionOf(object).reason === reason;
const served = (object: object) =>
  (object as Cluster).status?.apiEnablements?.map(
    ({ groupVersion, resources }) => `${groupVersion}: ${resources?.map(({ kind }) => kind).join(' ')}`,
  );
const complete = ['apps/v1: Deployment', 'metrics.k8s.io/v1beta1: NodeMetrics PodMetrics', 'v1: Node Pod'];

t.test('a group that an aggregator shows as stale', async t => {
  const member = await memberServer(t);
  member.documents.set('/apis', aggregatedDiscovery([apps, metrics]));
  const control = await joinedMember(t, member);
  const before = await comesAbout(control, resources.clusters, key, reasonIs('Complete'));
  t.same(served(before), complete);
  member.documents.set('/apis', aggregatedDiscovery([apps, { ...metrics, kinds: [], freshness: 'Stale' }]));
  const partial = await comesAbout(control, resources.clusters, key, reasonIs('Partial'));
  t.same(conditionOf(partial), {
    ...{ status: 'False', reason: 'Partial' },
    message: 'might collect partial APIEnablements(2) from the cluster',
  });
  t.same(served(partial), complete, 'its kinds stay');
  member.documents.set('/apis', aggregatedDiscovery([apps]));
  const gone = await comesAbout(control, resources.clusters, key, reasonIs('Complete'));
  t.same(served(gone), ['apps/v1: Deployment', 'v1: Node Pod'], 'a group that the member removes is removed');
});

const group = (name: string, version: string) => ({
  name,
  versions: [{ version, groupVersion: `${name}/${version}` }],
});
const list = (...kinds: string[]) => ({
  ...{ kind: 'APIResourceList', apiVersion: 'v1' },
  resources: kinds.map(kind => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['get'] })),
});

/** Starts a member without aggregated discovery. */
async function legacyMember(t: Test): Promise<MemberServer> {
  const member = await memberServer(t);
  const { documents } = member;
  documents.set('/api', { kind: 'APIVersions', versions: ['v1'] });
  documents.set('/apis', { kind: 'APIGroupList', groups: [group('apps', 'v1'), group('metrics.k8s.io', 'v1beta1')] });
  documents.set('/api/v1', list('Pod', 'Node'));
  documents.set('/apis/apps/v1', list('Deployment'));
  documents.set('/apis/metrics.k8s.io/v1beta1', list('NodeMetrics', 'PodMetrics'));
  return member;
}

t.test('a group that fails on a server without aggregated discovery', async t => {
  const member = await legacyMember(t);
  const { documents } = member;
  const control = await joinedMember(t, member);
  t.same(served(await comesAbout(control, resources.clusters, key, reasonIs('Complete'))), complete);
  documents.set('/apis/metrics.k8s.io/v1beta1', 503);
  const partial = await comesAbout(control, resources.clusters, key, reasonIs('Partial'));
  t.same(served(partial), complete, 'its kinds stay');
  documents.set('/api', 503);
  const failed = await comesAbout(control, resources.clusters, key, reasonIs('Empty'));
  t.same(served(failed), complete, 'all kinds stay if discovery fails');
});

t.test('a document that an overloaded member refuses does not hold up the observation', async t => {
  const member = await legacyMember(t);
  const { documents, answers } = member;
  documents.set('/apis/metrics.k8s.io/v1beta1', 429); // with a Retry-After that is longer than this test
  const control = await joinedMember(t, member);
  const partial = await comesAbout(control, resources.clusters, key, reasonIs('Partial'));
  t.same(served(partial), ['apps/v1: Deployment', 'v1: Node Pod']);
  const refused = (): number => answers.get('/apis/metrics.k8s.io/v1beta1 429') ?? 0;
  await until('the next observations ask again', () => refused() >= 5);
  documents.set('/apis/metrics.k8s.io/v1beta1', list('NodeMetrics', 'PodMetrics'));
  t.same(served(await comesAbout(control, resources.clusters, key, reasonIs('Complete'))), complete);
});
