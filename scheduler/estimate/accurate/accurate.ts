import type { ReplicaRequirements } from '../../../api/karmada/types.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../interface.js';
import { maxInt32 } from '../resource-summary.js';
import type { EstimatedQuota } from './interface.js';
import type { NodeClasses } from './node-classes.js';
import type { NodeInfo } from './node-info.js';
import { replicasOnNodes, setsOnNodes } from './node-resource.js';
import { replicasInQuotas, setsInQuotas } from './resource-quota.js';

/** What is known of a member. */
export interface MemberState {
  /** In the order in which kube-scheduler tries them. */
  readonly nodes: readonly NodeInfo[];
  /** What is known of these nodes. Absent: every estimate looks at all of them. */
  readonly classes?: NodeClasses;
  /** Returns the quotas of a namespace. Absent: quotas do not count (gate ResourceQuotaEstimate). */
  readonly quotasIn?: ((namespace: string) => readonly EstimatedQuota[]) | undefined;
  /** What was assigned to the member already. Empty without the gate SchedulingOvercommitProtection. */
  readonly assumed?: readonly AssumedWorkload[] | undefined;
}

/** Measures one plugin. Returns what is called when it ends. */
export type PluginTimer = (plugin: 'NodeResourceEstimator' | 'ResourceQuotaEstimator') => () => void;

const untimed: PluginTimer = () => () => undefined;

/**
 * Estimates how many replicas a member can take: the least that nodes and quotas allow. Throws if a quantity is malformed.
 * as pkg/estimator/server EstimateReplicas
 */
export function* accurateReplicas(
  { nodes, classes, quotasIn, assumed }: MemberState,
  requirements: ReplicaRequirements | undefined,
  timed = untimed,
): InSteps<number> {
  if (nodes.length === 0) return 0;
  let done = timed('NodeResourceEstimator');
  const onNodes = yield* classes
    ? classes.replicas(requirements, assumed)
    : replicasOnNodes(nodes, requirements, assumed);
  done();
  if (!quotasIn || !requirements) return onNodes;
  done = timed('ResourceQuotaEstimator');
  const inQuotas = replicasInQuotas(quotasIn(requirements.namespace ?? ''), requirements, assumed);
  done();
  return Math.min(onNodes, inQuotas);
}

/**
 * Estimates how many sets of components a member can take: the least that nodes and quotas allow. Throws if a quantity is malformed.
 * as pkg/estimator/server EstimateComponents
 */
export function* accurateSets(
  { nodes, classes, quotasIn, assumed }: MemberState,
  workload: AssumedWorkload,
  timed = untimed,
): InSteps<number> {
  if (nodes.length === 0) return 0;
  if (workload.components.length === 0) return maxInt32;
  let done = timed('NodeResourceEstimator');
  const onNodes = yield* classes
    ? classes.sets(workload.components, assumed)
    : setsOnNodes(nodes, workload.components, assumed);
  done();
  if (!quotasIn || workload.namespace === '') return onNodes;
  done = timed('ResourceQuotaEstimator');
  const inQuotas = setsInQuotas(quotasIn(workload.namespace), workload, assumed);
  done();
  return Math.min(onNodes, inQuotas);
}
