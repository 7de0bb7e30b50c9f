import type { JsonObject } from '../../../../apimachinery/interface.js';
import type { KindInterpreter } from '../kind.js';
import { withReportedStatus } from '../only-cluster.js';
import { fieldAt } from '../read.js';
import { statusBefore } from '../aggregate.js';
import { isTrueCondition, trainingJob, type TrainingOutcome, type TrainingReports } from './training-job.js';

const condition = (type: string, status: string, message: string, times: JsonObject): JsonObject => ({
  ...{ type, status, reason: `PyTorchJob${type}`, message },
  ...times,
});

/** Returns the conditions in the order Created, Running, and the end, since kubectl shows the last one. */
function outcomeOf({ clusters, reports, startTime, completionTime }: TrainingReports): TrainingOutcome {
  const has = (conditions: readonly unknown[], type: string): boolean =>
    conditions.some(reported => isTrueCondition(reported, type));
  const failed = reports.filter(({ conditions }) => has(conditions, 'Failed')).map(({ cluster }) => cluster);
  const succeeded = reports.filter(({ conditions }) => !has(conditions, 'Failed') && has(conditions, 'Succeeded'));
  const hasSucceeded = clusters > 0 && succeeded.length === clusters;
  const isOver = failed.length > 0 || hasSucceeded;
  const running = reports
    .flatMap(({ conditions }) => conditions)
    .findLast(reported => fieldAt(reported, 'type') === 'Running');
  const at = (time: unknown): JsonObject => ({ lastUpdateTime: time, lastTransitionTime: time });
  const conditions: JsonObject[] = [];
  if (reports.some(({ conditions }) => has(conditions, 'Created')))
    conditions.push(condition('Created', 'True', 'PyTorchJob is created.', at(startTime)));
  if (running !== undefined) {
    const times = {
      lastUpdateTime: fieldAt(running, 'lastUpdateTime'),
      lastTransitionTime: fieldAt(running, 'lastTransitionTime'),
    };
    conditions.push(condition('Running', isOver ? 'False' : 'True', 'PyTorchJob is running.', times));
  }
  const failure = `PyTorchJob executed failed in member clusters: ${failed.join(', ')}`;
  if (failed.length > 0) conditions.push(condition('Failed', 'True', failure, at(completionTime)));
  else if (hasSucceeded)
    conditions.push(condition('Succeeded', 'True', 'PyTorchJob is successfully completed.', at(completionTime)));
  return { conditions, hasSucceeded: failed.length === 0 && hasSucceeded };
}

const job = trainingJob({ field: 'pytorchReplicaSpecs', roles: ['Master', 'Worker'], outcomeOf });

/** Interprets a PyTorchJob. */
export const pytorchJob: KindInterpreter = {
  ...job,
  aggregateStatus: (object, items, now) => {
    if (items.length > 0 && job.aggregateStatus) return job.aggregateStatus(object, items, now);
    const nothing = { startTime: undefined, completionTime: undefined, replicaStatuses: {}, conditions: {} };
    return withReportedStatus(object, { ...statusBefore(object), ...nothing });
  },
};
