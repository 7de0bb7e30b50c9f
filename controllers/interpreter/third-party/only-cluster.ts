import type { KubeObject } from '../../../apimachinery/interface.js';
import type { KindInterpreter } from './kind.js';
import { withoutEmpty } from './without-empty.js';

type Aggregate = NonNullable<KindInterpreter['aggregateStatus']>;

/** Returns the object with the status. Empty lists and objects are left out. */
export const withReportedStatus = (object: KubeObject, status: unknown): KubeObject =>
  withoutEmpty({ ...object, status });

/** Returns an aggregation that takes over the status of the only cluster, and otherwise does as `aggregate`. */
export const onlyClusterOr =
  (aggregate: Aggregate): Aggregate =>
  (object, items, now) =>
    items.length === 1 ? withReportedStatus(object, items[0]?.status) : aggregate(object, items, now);
