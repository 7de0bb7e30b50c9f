/** CloneSet, StatefulSet, UnitedDeployment and DaemonSet of OpenKruise. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { ExpectedError } from '../../../../lib/logging/cause.js';
import {
  aggregateGenerations,
  type FieldRule,
  lastNonEmpty,
  reportedConditions,
  reportedGeneration,
  sum,
} from '../aggregate.js';
import { healthyIf } from '../health.js';
import type { KindTable } from '../kind.js';
import { fieldAt } from '../read.js';
import { reflectGenerations } from '../reflect.js';
import { isDaemonRolledOut, isRolledOut, podTemplateDependencies, scalable } from './workload.js';

const reflectedByAll = ['replicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration'];

/** Returns the last condition of each type; the template's if no cluster reports any. */
const lastConditions: FieldRule = (reports, _field, before) => {
  const byType = new Map<unknown, unknown>();
  for (const { condition } of reportedConditions(reports)) {
    const type = fieldAt(condition, 'type');
    if (type === undefined) throw new ExpectedError('a condition has no type');
    byType.set(type, condition);
  }
  return byType.size > 0 ? [...byType.values()] : before;
};

const hasAllParts = (object: KubeObject): boolean =>
  ['status', 'metadata', 'spec'].every(field => fieldAt(object, field) !== undefined);

export const kruiseWorkloads: KindTable = {
  'apps.kruise.io/v1alpha1/CloneSet': {
    ...scalable,
    aggregateStatus: aggregateGenerations({
      replicas: sum,
      readyReplicas: sum,
      updatedReplicas: sum,
      availableReplicas: sum,
      updatedReadyReplicas: sum,
      expectedUpdatedReplicas: sum,
      updateRevision: lastNonEmpty(''),
      currentRevision: lastNonEmpty(''),
      labelSelector: lastNonEmpty(''),
    }),
    reflectStatus: reflectGenerations([
      ...reflectedByAll,
      'updatedReadyReplicas',
      'expectedUpdatedReplicas',
      'updateRevision',
      'currentRevision',
      'labelSelector',
    ]),
    health: healthyIf(isRolledOut),
  },
  'apps.kruise.io/v1beta1/StatefulSet': {
    ...scalable,
    aggregateStatus: aggregateGenerations({
      replicas: sum,
      readyReplicas: sum,
      currentReplicas: sum,
      updatedReplicas: sum,
      availableReplicas: sum,
      updatedReadyReplicas: sum,
      updateRevision: lastNonEmpty(''),
      currentRevision: lastNonEmpty(''),
    }),
    reflectStatus: reflectGenerations([
      ...reflectedByAll,
      'currentReplicas',
      'updatedReadyReplicas',
      'updateRevision',
      'currentRevision',
    ]),
    health: healthyIf(isRolledOut),
  },
  'apps.kruise.io/v1alpha1/UnitedDeployment': {
    ...scalable,
    aggregateStatus: aggregateGenerations(
      {
        replicas: sum,
        readyReplicas: sum,
        updatedReplicas: sum,
        availableReplicas: sum,
        unavailableReplicas: sum,
        conditions: lastConditions,
      },
      reportedGeneration,
    ),
    reflectStatus: reflectGenerations([...reflectedByAll, 'unavailableReplicas', 'conditions']),
    health: healthyIf(object => hasAllParts(object) && isRolledOut(object)),
  },
  'apps.kruise.io/v1alpha1/DaemonSet': {
    dependencies: podTemplateDependencies,
    aggregateStatus: aggregateGenerations({
      currentNumberScheduled: sum,
      numberMisscheduled: sum,
      desiredNumberScheduled: sum,
      numberReady: sum,
      updatedNumberScheduled: sum,
      numberAvailable: sum,
      numberUnavailable: sum,
      daemonSetHash: lastNonEmpty(0),
    }),
    reflectStatus: reflectGenerations([
      'observedGeneration',
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'daemonSetHash',
    ]),
    health: healthyIf(isDaemonRolledOut),
  },
};
