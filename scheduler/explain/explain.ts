import type { Binding, Cluster, Placement, TargetCluster } from '../../api/karmada/types.js';
import type { EstimateQuery, EstimateTable, ScheduleOptions, SchedulingInput } from '../interface.js';
import { inTimeSlices } from '../../lib/time-slice.js';
import { attempt } from '../loop/attempt.js';
import { causes } from '../loop/causes.js';
import { decided } from '../loop/decided.js';
import { withoutMembers } from '../place/without-members.js';
import type { ExplainedChange, ExplainedCluster, ExplainedDecision, SchedulingExplanation } from './explanation.js';
import { DecisionRecording } from './recording.js';
import { waitsFor } from './waits.js';

/** What a decision is made from. */
interface Explained {
  readonly binding: Binding;
  /** The targets to compare with; absent: those of the binding. */
  readonly current?: readonly TargetCluster[];
  readonly clusters: readonly Cluster[];
  readonly peers: SchedulingInput['peers'];
  readonly options: ScheduleOptions;
  /** Returns the estimates of members. It does not reject. Absent: members are not asked. */
  readonly answer?: ((query: EstimateQuery) => Promise<EstimateTable>) | undefined;
}

function divisionOf({ replicaScheduling: strategy }: Placement, replicas: number): string {
  if (replicas === 0) return 'the resource has no replicas';
  if ((strategy?.replicaSchedulingType ?? 'Duplicated') === 'Duplicated')
    return 'Duplicated: each cluster gets all replicas';
  if (strategy?.replicaDivisionPreference === 'Aggregated') return 'Aggregated: as few clusters as possible';
  if (strategy?.weightPreference?.dynamicWeight) return 'Weighted by available replicas';
  return strategy?.weightPreference ? 'Weighted by static weights' : 'Weighted equally';
}

/** Returns why the replicas of a cluster would change. */
function changeReason(
  found: ExplainedCluster | undefined,
  to: number | undefined,
  last: ExplainedDecision | undefined,
): string {
  if (found?.plugin) return `${found.plugin}: ${found.reason}`;
  if (found?.reason) return found.reason;
  if (!found && to === undefined) return 'there is no such cluster';
  return last?.type === 'placed' ? 'the division of the replicas has changed' : (last?.message ?? '');
}

function changesOf(
  current: readonly TargetCluster[],
  next: readonly TargetCluster[],
  last: ExplainedDecision | undefined,
): ExplainedChange[] {
  const replicas = (targets: readonly TargetCluster[]): Map<string, number> =>
    new Map(targets.map(({ name, replicas = 0 }) => [name, replicas]));
  const [before, after] = [replicas(current), replicas(next)];
  const explained = new Map(last?.clusters.map(found => [found.name, found]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .filter(name => before.get(name) !== after.get(name))
    .map(cluster => {
      const [from, to] = [before.get(cluster), after.get(cluster)];
      const reason = from === undefined ? 'the cluster is selected' : changeReason(explained.get(cluster), to, last);
      return { cluster, ...(from !== undefined && { from }), ...(to !== undefined && { to }), reason };
    });
}

/** How many clusters were asked for estimates by the last decision that asks, and how many have answered. */
interface Estimates {
  readonly asked: number;
  readonly answered: number;
}

/** Makes the decision that the scheduler would make now, writes nothing, and tells why it is so. */
export async function explainDecision({
  binding,
  current = binding.spec.clusters ?? [],
  clusters,
  peers,
  options,
  answer,
}: Explained): Promise<SchedulingExplanation> {
  const { metadata, spec, status = {} } = binding;
  const recording = new DecisionRecording(spec);
  const steps = attempt(binding, clusters, peers, { ...options, recorder: recording, asksMembers: Boolean(answer) });
  let estimates: Estimates | undefined;
  const counted = async (query: EstimateQuery): Promise<EstimateTable> => {
    const table = (await answer?.(query)) ?? new Map<string, number>();
    estimates = { asked: query.clusters.length, answered: table.size };
    return table;
  };
  const result = await (answer ? decided(steps, counted) : inTimeSlices(withoutMembers(steps)));
  const { decisions, omitted } = recording;
  const { clusters: targets = [], replicas = 0 } = spec;
  const next = result.clusters ?? targets;
  const terminating = new Set(clusters.filter(c => c.metadata.deletionTimestamp).map(c => c.metadata.name));
  return {
    kind: 'SchedulingExplanation',
    apiVersion: 'work.karmada.io/v1alpha2',
    metadata: { name: metadata.name ?? '', ...(metadata.namespace && { namespace: metadata.namespace }) },
    binding: {
      kind: binding.kind,
      ...(metadata.generation !== undefined && { generation: metadata.generation }),
      ...(status.schedulerObservedGeneration !== undefined && {
        schedulerObservedGeneration: status.schedulerObservedGeneration,
      }),
      ...(status.lastScheduledTime && { lastScheduledTime: status.lastScheduledTime }),
    },
    resource: spec.resource,
    ...(replicas > 0 && { replicas }),
    division: divisionOf(spec.placement ?? {}, replicas),
    causes: causes(binding, name => terminating.has(name), options.setEstimators !== undefined),
    ...(estimates && { estimates }),
    decisions,
    ...(result.decision.type !== 'placed' && { waitsFor: waitsFor(decisions) }),
    ...(omitted > 0 && { omittedDecisions: omitted }),
    current,
    next,
    changes: changesOf(current, next, decisions.at(-1)),
  };
}
