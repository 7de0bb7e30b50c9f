/** Why a binding has other targets, or none, in one sentence. */
import t from 'tap';
import type { TargetCluster } from '../../../api/karmada/types.js';
import type { Decision } from '../../../scheduler/interface.js';
import { decisionText } from '../../../scheduler/loop/decision-text.js';
import type { Committed } from '../../../scheduler/loop/commit.js';
import { binding } from '../objects.js';

const placed = (...clusters: TargetCluster[]): Decision => ({ type: 'placed', clusters });
const two = { name: 'm1', replicas: 2 };

function text(
  before: readonly TargetCluster[],
  decision: Decision,
  refusal?: Committed['refusal'],
  isOvertaken = false,
) {
  const given = binding({ replicas: 3, clusters: [...before], placement: {} });
  const clusters = decision.type === 'placed' ? decision.clusters : undefined;
  const result = { decision, clusters, affinityName: undefined, failures: [] };
  return decisionText({ binding: given, why: 'replicas', isOvertaken, result, refusal });
}

t.test('targets that have changed', t => {
  t.equal(text([], placed(two)), undefined, 'the first ones');
  t.equal(text([two], placed(two)), undefined, 'none have');
  t.equal(
    text([two], placed({ name: 'm1', replicas: 1 }, two)),
    'The clusters have changed from m1: 2 to m1: 1, m1: 2: the clusters have 2 replicas, and 3 are wanted.',
  );
  t.equal(
    text([two], placed({ name: 'm2' }), undefined, true),
    'The clusters have changed from m1: 2 to m2: another cluster has begun to serve the kind.',
  );
  const many = Array.from({ length: 1000 }, (_, i) => ({ name: `${i}`.padStart(253, 'm'), replicas: 1 }));
  const long = text([two], placed(...many)) ?? '';
  t.ok(long.length < 1024, `${long.length} characters`);
  t.end();
});

t.test('what a binding waits for', t => {
  const fit: Decision = { type: 'FitError', message: 'none', refusedBy: ['TaintToleration', 'APIEnablement'] };
  const help = 'a cluster that begins to serve the kind, or taints of clusters, or a change of the policy';
  t.equal(text([], fit), `The scheduler waits for ${help}.`);
  const full: Decision = { type: 'UnschedulableError', message: 'full' };
  t.equal(text([two], full), 'The scheduler waits for room in clusters, or a change of the policy.');
  t.match(text([], placed(two), 'QuotaExceeded'), /waits for a FederatedResourceQuota/);
  t.equal(text([two], placed({ name: 'm2' }), 'SchedulerError'), undefined, 'a webhook has refused the targets');
  t.end();
});
