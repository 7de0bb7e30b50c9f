import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import type { LongValidate, Strategy, StrategyContext, Validate } from '../../../registry/interface.js';

/** The rules of a write. */
export interface WriteRules {
  readonly validate: readonly Validate[];
  readonly validateLong?: LongValidate | undefined;
}

/** Returns the rules of a strategy for new objects, or for changed ones. */
export const rulesFor = (
  { validateCreate, validateUpdate, validateLong }: Strategy,
  operation: 'create' | 'update',
): WriteRules => ({ validate: operation === 'create' ? validateCreate : validateUpdate, validateLong });

/** Returns the faults that the rules of a write find, in the order of the pipeline. */
export async function faultsFrom(
  { validate, validateLong }: WriteRules,
  draft: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
): Promise<Fault[]> {
  const found = validate.flatMap(rule => rule(draft, old, context));
  return [...found, ...((await validateLong?.(found, draft, old, context)) ?? [])];
}
