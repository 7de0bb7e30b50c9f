/** A condition of a typed object, or of unvalidated JSON. */
export interface AnyCondition {
  readonly type?: unknown;
  readonly status?: unknown;
}

/** Returns whether the condition of this type exists and is True. */
export const isConditionTrue = (conditions: readonly AnyCondition[] | undefined, type: string): boolean =>
  conditions?.some(condition => condition.type === type && condition.status === 'True') ?? false;
