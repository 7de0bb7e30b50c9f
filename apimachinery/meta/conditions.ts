/** As typed objects have it, and as JSON of unknown origin may. */
export interface AnyCondition {
  readonly type?: unknown;
  readonly status?: unknown;
}

/** Does the condition of this type stand at True? Not when there is none. */
export const holds = (conditions: readonly AnyCondition[] | undefined, type: string): boolean =>
  conditions?.some(condition => condition.type === type && condition.status === 'True') ?? false;
