import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { collected } from '../../native/aggregate-workloads.js';
import { statusBefore } from '../aggregate.js';
import { hasTrueCondition } from '../conditions.js';
import { greatestOf, leastOf } from '../extremes.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter } from '../kind.js';
import { withReportedStatus } from '../only-cluster.js';
import { itemsOf, fieldAt, fieldIfAny } from '../read.js';
import { componentsFrom } from '../replica-result.js';
import { countOf } from '../values.js';
import { isZeroOfStatus, withoutZeros } from '../without-zeros.js';
import { roleComponent, roleDependencies } from './replica-specs.js';

/** What the clusters report about a job. Times are undefined if no cluster reports them. */
export interface TrainingReports {
  /** The number of clusters, including those without a report. */
  readonly clusters: number;
  readonly reports: readonly { readonly cluster: string; readonly conditions: readonly unknown[] }[];
  readonly startTime: unknown;
  readonly completionTime: unknown;
  /** Conditions in the status of the template. */
  readonly before: unknown;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** The outcome of a job in all clusters. */
export interface TrainingOutcome {
  readonly conditions: readonly JsonObject[];
  /** The job has succeeded in all clusters. */
  readonly hasSucceeded: boolean;
}

interface TrainingKind {
  /** The field of the spec that has the roles. */
  readonly field: string;
  /** The keys of the roles in the spec and the status. */
  readonly roles: readonly string[];
  readonly outcomeOf: (reports: TrainingReports) => TrainingOutcome;
}

/** Reports whether a condition has the type and the status True. */
export const isTrueCondition = (condition: unknown, type: string): boolean =>
  fieldAt(condition, 'type') === type && fieldAt(condition, 'status') === 'True';

/** Returns how many pods of each role are active, have failed and have succeeded in all clusters. */
function replicaStatuses(statuses: readonly JsonObject[], roles: readonly string[]): JsonObject {
  const sum = (role: string, field: string): number =>
    statuses.reduce((total, status) => {
      const ofRole = fieldIfAny(status, 'replicaStatuses', role);
      return ofRole === undefined ? total : total + countOf(fieldAt(ofRole, field), `${role}.${field}`);
    }, 0);
  const counts = (role: string): JsonObject =>
    Object.fromEntries(['active', 'failed', 'succeeded'].map(field => [field, sum(role, field)]));
  return Object.fromEntries(roles.map(role => [role, counts(role)]));
}

const aggregate =
  ({ roles, outcomeOf }: TrainingKind) =>
  (object: KubeObject, items: readonly AggregatedStatusItem[], now: () => number): KubeObject => {
    const statuses = collected(items);
    const valuesOf = (field: string): unknown[] =>
      statuses.map(({ status }) => fieldAt(status, field)).filter(value => value !== undefined);
    const before = statusBefore(object);
    const startTime = leastOf(valuesOf('startTime'), 'status.startTime');
    const completionTime = greatestOf(valuesOf('completionTime'), 'status.completionTime');
    const reports = statuses.map(({ cluster, status }) => ({
      cluster,
      conditions: itemsOf(fieldAt(status, 'conditions') ?? [], 'status.conditions'),
    }));
    const { conditions, hasSucceeded } = outcomeOf({
      clusters: items.length,
      ...{ reports, startTime, completionTime, before: before['conditions'], now },
    });
    const status: JsonObject = {
      ...before,
      ...(hasSucceeded && { completionTime }),
      startTime,
      lastReconcileTime: greatestOf(valuesOf('lastReconcileTime'), 'status.lastReconcileTime'),
      replicaStatuses: replicaStatuses(
        statuses.map(({ status }) => status),
        roles,
      ),
      conditions,
    };
    return withReportedStatus(object, withoutZeros(status, isZeroOfStatus));
  };

/** Returns the interpreter of a kind of job that trains a model: the roles are its components. */
export function trainingJob(kind: TrainingKind): KindInterpreter {
  const { field, roles } = kind;
  return {
    components: object => {
      const specs = roles.map(role => ({ role, spec: fieldIfAny(object, 'spec', field, role) }));
      const present = specs.filter(({ spec }) => spec !== undefined);
      return componentsFrom(present, ({ role, spec }) => roleComponent(role.toLowerCase(), spec, 1));
    },
    aggregateStatus: aggregate(kind),
    dependencies: object => roleDependencies(object, field, roles),
    health: healthyIf(object => {
      const hasConditions = fieldIfAny(object, 'status', 'conditions') !== undefined;
      return hasConditions && !hasTrueCondition(object, 'Failed');
    }),
  };
}
