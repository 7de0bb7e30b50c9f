interface Condition {
  readonly type?: unknown;
  readonly status?: unknown;
}

/** Of the conditions of a Job the one that says how it has ended; undefined while it runs. */
// as pkg/controller/job/util IsJobFinished
export const endOf = <C extends Condition>(conditions: readonly C[] | undefined): C | undefined =>
  conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
