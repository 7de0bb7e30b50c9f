import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../../api/karmada/types.js';
import { collected } from '../../native/aggregate-workloads.js';
import { statusBefore } from '../aggregate.js';
import type { KindInterpreter } from '../kind.js';
import { onlyClusterOr, withReportedStatus } from '../only-cluster.js';
import { itemsOf, numberOf, fieldAt, fieldIfAny } from '../read.js';

/** The statuses that members have reported. */
export class RayStatuses {
  readonly #statuses: readonly JsonObject[];

  constructor(items: readonly AggregatedStatusItem[]) {
    this.#statuses = collected(items).map(({ status }) => status);
  }

  /** Returns the present values of a field. */
  values(...path: readonly string[]): unknown[] {
    return this.#statuses.map(status => fieldIfAny(status, ...path)).filter(value => value !== undefined);
  }

  /** Returns the sum of a field. Throws if it is no number in one of the statuses. */
  sum(field: string): number {
    return this.values(field).reduce<number>((total, value) => total + numberOf(value, `status.${field}`), 0);
  }

  /** Returns the first value of a field. */
  first(field: string): unknown {
    return this.values(field)[0];
  }

  /** Returns the conditions of all clusters. */
  conditions(): unknown[] {
    return this.values('conditions').flatMap(conditions => itemsOf(conditions, 'status.conditions'));
  }

  /** Returns the statuses that have the field. */
  with(field: string): JsonObject[] {
    return this.#statuses.filter(status => fieldAt(status, field) !== undefined);
  }
}

/** Returns an aggregation of statuses; fields that it does not return stay as they are. Without the spec, as in Karmada. */
export const aggregateRay = (
  aggregate: (statuses: RayStatuses) => JsonObject,
): NonNullable<KindInterpreter['aggregateStatus']> => {
  const aggregateAll = onlyClusterOr((object, items) =>
    withReportedStatus(object, { ...statusBefore(object), ...aggregate(new RayStatuses(items)) }),
  );
  return (object: KubeObject, items, now) => aggregateAll({ ...object, spec: undefined }, items, now);
};

/** Returns the worst of the values. A value that is not in the table counts as 0; of equally bad ones, the first is returned. */
export function worst<T>(
  items: readonly T[],
  severities: ReadonlyMap<unknown, number>,
  valueOf: (item: T) => unknown,
): T | undefined {
  let found: T | undefined;
  let highest = -1;
  for (const item of items) {
    const severity = severities.get(valueOf(item)) ?? 0;
    if (severity > highest) [found, highest] = [item, severity];
  }
  return found;
}
