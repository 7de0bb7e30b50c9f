import type { AnyCondition } from '../../../apimachinery/meta/conditions.js';

/** Returns the condition that reports how a Job ended; undefined while it runs. */
// as pkg/controller/job/util IsJobFinished
export const endOf = <C extends AnyCondition>(conditions: readonly C[] | undefined): C | undefined =>
  conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
