import type { AnyCondition } from '../../../apimachinery/meta/conditions.js';

/** Of the conditions of a Job the one that says how it has ended; undefined while it runs. */
// as pkg/controller/job/util IsJobFinished
export const endOf = <C extends AnyCondition>(conditions: readonly C[] | undefined): C | undefined =>
  conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
