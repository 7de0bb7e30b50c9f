import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { collected } from '../../native/aggregate-workloads.js';
import { hasTrueCondition } from '../conditions.js';
import { greatestOf, leastOf } from '../extremes.js';
import { latestByKey } from '../latest-by-key.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { onlyClusterOr, withReportedStatus } from '../only-cluster.js';
import { itemsOf, fieldAt, fieldIfAny } from '../read.js';
import { reflectFields } from '../reflect.js';
import { componentsFrom } from '../replica-result.js';
import { countOf, entriesIn, isBlank, isTruthy } from '../values.js';
import { withoutEmpty } from '../without-empty.js';
import { withoutZeros } from '../without-zeros.js';
import { roleComponent } from './replica-specs.js';

const counts = ['active', 'succeeded', 'failed'] as const;

/** Returns how many pods of each role are active, have succeeded and have failed in all clusters. */
function replicaStatuses(statuses: readonly JsonObject[]): JsonObject {
  const roles = new Map<string, JsonObject>();
  for (const status of statuses)
    for (const [role, reported] of entriesIn(fieldAt(status, 'replicaStatuses') ?? {}, 'status.replicaStatuses')) {
      const sums = roles.get(role) ?? { active: 0, succeeded: 0, failed: 0 };
      roles.set(role, sums);
      for (const field of counts)
        sums[field] = countOf(sums[field], field) + countOf(fieldAt(reported, field), `${role}.${field}`);
    }
  return Object.fromEntries(roles);
}

/** Returns the known fields of the status of a role. */
function fieldsOf(role: unknown): JsonObject {
  const fields: JsonObject = {};
  for (const name of [...counts, 'selector']) {
    const value = fieldAt(role, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function timeOf(condition: unknown): unknown {
  const updated = fieldAt(condition, 'lastUpdateTime');
  return isTruthy(updated) ? updated : fieldAt(condition, 'lastTransitionTime');
}

function aggregate(object: KubeObject, items: readonly AggregatedStatusItem[]): KubeObject {
  const statuses = collected(items).map(({ status }) => status);
  const times = (field: string): unknown[] =>
    statuses.map(status => fieldAt(status, field)).filter(time => !isBlank(time));
  const conditions = statuses
    .flatMap(status => itemsOf(fieldAt(status, 'conditions') ?? [], 'status.conditions'))
    .filter(condition => !isBlank(timeOf(condition)));
  const status = {
    replicaStatuses: replicaStatuses(statuses),
    conditions: latestByKey(conditions, condition => fieldAt(condition, 'type'), timeOf),
    startTime: leastOf(times('startTime'), 'status.startTime'),
    completionTime: greatestOf(times('completionTime'), 'status.completionTime'),
    lastReconcileTime: greatestOf(times('lastReconcileTime'), 'status.lastReconcileTime'),
  };
  return withReportedStatus(object, withoutZeros(status, value => value === undefined) ?? {});
}

const aggregateReports = onlyClusterOr(aggregate);

/** Interprets an MPIJob: each role with a template is a component. */
export const mpiJob: KindInterpreter = {
  components: object => {
    const roles = entriesIn(fieldIfAny(object, 'spec', 'mpiReplicaSpecs') ?? {}, 'spec.mpiReplicaSpecs');
    const withTemplate = roles.filter(([, spec]) => fieldAt(spec, 'template') !== undefined);
    const sorted = withTemplate.sort(([a], [b]) => (a < b ? -1 : 1));
    return componentsFrom(sorted, ([name, spec]) => roleComponent(name, spec, name.toLowerCase() === 'worker' ? 0 : 1));
  },
  aggregateStatus: (object, items, now) => (items.length === 0 ? object : aggregateReports(object, items, now)),
  reflectStatus: object => {
    const status = fieldAt(object, 'status');
    if (status === undefined) return {};
    const conditions = fieldAt(status, 'conditions');
    const roles = entriesIn(fieldAt(status, 'replicaStatuses') ?? {}, 'status.replicaStatuses');
    return withoutEmpty({
      ...reflectFields(['startTime', 'completionTime', 'lastReconcileTime'])(object),
      replicaStatuses: Object.fromEntries(roles.map(([name, role]) => [name, fieldsOf(role)])),
      ...(Array.isArray(conditions) && { conditions }),
    });
  },
  health: healthyIf(object => {
    const conditions = itemsOf(fieldIfAny(object, 'status', 'conditions') ?? [], 'status.conditions');
    return conditions.length > 0 && !hasTrueCondition(object, 'Failed');
  }),
};
