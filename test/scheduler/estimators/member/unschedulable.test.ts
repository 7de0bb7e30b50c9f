/** Which replicas of a Deployment count as unschedulable. */
import t from 'tap';
import { isControlledBy } from '../../../../apimachinery/meta/owner.js';
import {
  type DeploymentObject,
  type PodObject,
  type ReplicaSetObject,
  unschedulableReplicas,
  type WorkloadReader,
} from '../../../../scheduler/estimators/member/unschedulable.js';

const { signal } = new AbortController();
const now = Date.parse('2026-01-01T01:00:00Z');
const template = (image: string, labels = {}) => ({
  metadata: { labels: { app: 'web', ...labels } },
  spec: { containers: [{ name: 'c', image }] },
});
const owner = (kind: string, uid: string) => [{ apiVersion: 'apps/v1', kind, name: uid, uid, controller: true }];
const deployment: DeploymentObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name: 'web', namespace: 'ns', uid: 'd' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template('new') },
};
const replicaSet = (uid: string, image: string, created: string, by = 'd'): ReplicaSetObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  metadata: {
    name: uid,
    uid,
    labels: { app: 'web' },
    creationTimestamp: created,
    ownerReferences: owner('Deployment', by),
  },
  spec: { template: template(image, { 'pod-template-hash': uid }) },
});
const pod = (by: string, since: string, { status = 'False', reason = 'Unschedulable' } = {}): PodObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name: 'p', labels: { app: 'web' }, ownerReferences: owner('ReplicaSet', by) },
  status: { conditions: [{ type: 'PodScheduled', status, reason, lastTransitionTime: since }] },
});

const hourAgo = '2026-01-01T00:00:00Z';
const secondAgo = '2026-01-01T00:59:59Z';
const reader = (replicaSets: ReplicaSetObject[], pods: PodObject[]): WorkloadReader => ({
  deployment: () => Promise.resolve(deployment),
  replicaSets: uid => Promise.resolve(replicaSets.filter(each => isControlledBy(each, uid))),
  pods: uid => Promise.resolve(pods.filter(each => isControlledBy(each, uid))),
});
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };

t.test('pods of the present ReplicaSet count after the threshold', async t => {
  const sets = [
    replicaSet('later', 'new', '2026-01-01T00:00:02Z'),
    replicaSet('current', 'new', '2026-01-01T00:00:01Z'),
    replicaSet('old', 'old', '2026-01-01T00:00:00Z'),
    replicaSet('foreign', 'new', '2026-01-01T00:00:00Z', 'another'),
  ];
  const pods = [
    pod('current', hourAgo),
    pod('current', secondAgo),
    pod('later', hourAgo),
    pod('old', hourAgo),
    pod('foreign', hourAgo),
    pod('current', hourAgo, { reason: 'SchedulingGated' }),
    pod('current', hourAgo, { status: 'True' }),
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'q', ownerReferences: owner('ReplicaSet', 'current') } },
  ];
  const count = (thresholdMs: number) =>
    unschedulableReplicas(reader(sets, pods), web, { thresholdMs: thresholdMs, now, signal });
  t.equal(await count(60_000), 1);
  t.equal(await count(500), 2);
  t.equal(await count(-1), 2, 'a negative threshold is zero');
  t.equal(await count(2 * 3_600_000), 0);
  t.equal(
    await unschedulableReplicas(reader(sets.slice(2), pods), web, { thresholdMs: 0, now, signal }),
    0,
    'there is no ReplicaSet yet',
  );
  const twins = [replicaSet('b', 'new', hourAgo), replicaSet('a', 'new', hourAgo)];
  t.equal(
    await unschedulableReplicas(reader(twins, [pod('a', hourAgo)]), web, { thresholdMs: 0, now, signal }),
    1,
    'the first by name',
  );
});

t.test('other kinds are refused', async t => {
  await t.rejects(
    unschedulableReplicas(reader([], []), { ...web, kind: 'StatefulSet' }, { thresholdMs: 0, now, signal }),
    {
      message: 'kind(StatefulSet) of workload(ns/web) is not supported',
    },
  );
});
