/** BroadcastJob and AdvancedCronJob of OpenKruise. */
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { aggregateFields, type FieldRule, last, reportedValues, sum } from '../aggregate.js';
import { assigned } from '../assigned.js';
import { healthyIf } from '../health.js';
import type { DependentReference } from '../../interface.js';
import type { KindTable } from '../kind.js';
import { templateDependencies } from '../pod-template.js';
import { fieldAt, fieldIfAny, itemsOf, namespaceOf } from '../read.js';
import { reflectFields } from '../reflect.js';
import { podTemplateDependencies, workloadReplicas, someDependencies } from './workload.js';

/** Returns the type of the first condition that says that a job has ended; undefined if there is none. */
function endOf(status: unknown): unknown {
  const conditions = itemsOf(fieldIfAny(status, 'conditions') ?? [], 'status.conditions');
  const end = conditions.find(condition => {
    const type = fieldAt(condition, 'type');
    return (type === 'Complete' || type === 'Failed') && fieldAt(condition, 'status') === 'True';
  });
  return fieldIfAny(end, 'type');
}

/** A job has failed if it has failed in any cluster, and is complete if it is complete in all of them. */
const jobConditions: FieldRule = ({ items }) => {
  const failedIn: string[] = [];
  let completed = 0;
  let end: unknown;
  for (const { clusterName, status } of items) {
    end = endOf(status) ?? end; // As in Karmada, a cluster that reports no end counts like the one before it.
    if (end === 'Failed') failedIn.push(clusterName);
    if (end === 'Complete') completed++;
  }
  const conditions: JsonObject[] = [];
  if (failedIn.length > 0) {
    const message = `Job executed failed in member clusters: ${failedIn.join(', ')}`;
    conditions.push({ type: 'Failed', status: 'True', reason: 'JobFailed', message });
  }
  if (completed > 0 && completed === items.length)
    conditions.push({ type: 'Completed', status: 'True', reason: 'Completed', message: 'Job completed' });
  return conditions;
};

/** A job is healthy while its pods run or have succeeded, and none has failed. */
function isHealthyJob(object: KubeObject): boolean {
  const count = (field: string): unknown => fieldAt(object, 'status', field);
  if (count('desired') === 0 || count('failed') !== 0) return false;
  return count('succeeded') !== 0 || count('active') !== 0;
}

/** Keeps the labels of pods that the member's controller has added. */
function retainPodLabels(desired: KubeObject, observed: KubeObject): KubeObject {
  const labels = fieldIfAny(fieldAt(observed, 'spec', 'template', 'metadata'), 'labels');
  return labels === undefined ? desired : assigned(desired, ['spec', 'template', 'metadata', 'labels'], labels);
}

const allItems: FieldRule = (reports, field) =>
  reportedValues(reports, field).flatMap(value => itemsOf(value, `status.${field}`));

/** An AdvancedCronJob creates Jobs or BroadcastJobs. */
function cronJobDependencies(object: KubeObject): DependentReference[] {
  const jobTemplates = fieldAt(object, 'spec', 'template');
  const job = fieldAt(jobTemplates, 'broadcastJobTemplate') ?? fieldAt(jobTemplates, 'jobTemplate');
  const template = job === undefined ? {} : fieldAt(job, 'spec', 'template');
  return templateDependencies(template, namespaceOf(object));
}

export const kruiseJobs: KindTable = {
  'apps.kruise.io/v1alpha1/BroadcastJob': {
    replicas: object => workloadReplicas(object, fieldAt(object, 'spec', 'parallelism') ?? 1),
    reviseReplica: (object, replicas) => assigned(object, ['spec', 'parallelism'], replicas),
    retain: retainPodLabels,
    aggregateStatus: aggregateFields({
      active: sum,
      succeeded: sum,
      failed: sum,
      desired: sum,
      phase: last(''),
      conditions: jobConditions,
    }),
    dependencies: object => someDependencies(podTemplateDependencies(object)),
    reflectStatus: reflectFields([
      'conditions',
      'startTime',
      'completionTime',
      'active',
      'succeeded',
      'failed',
      'desired',
      'phase',
    ]),
    health: healthyIf(isHealthyJob),
  },
  'apps.kruise.io/v1alpha1/AdvancedCronJob': {
    aggregateStatus: aggregateFields({ active: allItems, type: last(''), lastScheduleTime: last() }),
    dependencies: object => someDependencies(cronJobDependencies(object)),
  },
};
