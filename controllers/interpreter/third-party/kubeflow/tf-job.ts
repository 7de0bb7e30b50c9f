import type { JsonObject } from '../../../../apimachinery/interface.js';
import { stamped } from '../stamped.js';
import { isTrueCondition, trainingJob, type TrainingOutcome, type TrainingReports } from './training-job.js';

/** Returns Succeeded or Failed, by the last such condition; undefined while the job runs. */
function endOf(conditions: readonly unknown[]): 'Succeeded' | 'Failed' | undefined {
  const end = conditions.findLast(
    condition => isTrueCondition(condition, 'Succeeded') || isTrueCondition(condition, 'Failed'),
  );
  if (end === undefined) return undefined;
  return isTrueCondition(end, 'Failed') ? 'Failed' : 'Succeeded';
}

/** Like a Job of Kubernetes, the template only gets conditions about the end. */
function outcomeOf({ clusters, reports, before, now }: TrainingReports): TrainingOutcome {
  const ends = reports.map(({ cluster, conditions }) => ({ cluster, end: endOf(conditions) }));
  const failed = ends.filter(({ end }) => end === 'Failed').map(({ cluster }) => cluster);
  const hasSucceeded = clusters > 0 && ends.filter(({ end }) => end === 'Succeeded').length === clusters;
  const condition = (type: string, reason: string, message: string): JsonObject =>
    stamped({ type, status: 'True', reason, message }, ['lastProbeTime', 'lastTransitionTime'], before, now);
  const failure = `TFJob executed failed in member clusters: ${failed.join(', ')}`;
  const conditions = [
    ...(failed.length > 0 ? [condition('Failed', 'TFJobFailed', failure)] : []),
    ...(hasSucceeded ? [condition('Succeeded', 'Completed', 'TFJob completed successfully')] : []),
  ];
  return { conditions, hasSucceeded };
}

/** Interprets a TFJob. */
export const tfJob = trainingJob({
  field: 'tfReplicaSpecs',
  roles: ['PS', 'Worker', 'Chief', 'Master', 'Evaluator'],
  outcomeOf,
});
