import type { Component } from '../../../api/karmada/types.js';
import { componentsIn, replicaCount, requirementsOf } from '../answers/decode.js';
import type { Replicas } from '../interface.js';
import { unexpected } from './read.js';
import { withoutEmpty } from './without-empty.js';

/** A component as a kind computes it. The values of its fields have any type. */
export interface ComponentValues {
  readonly name: unknown;
  readonly replicas: unknown;
  /** Requirements of one replica; undefined if there are none. */
  readonly replicaRequirements: object | undefined;
}

/**
 * Returns one component per item. Rejects if there are too many, or if a value has a wrong type.
 * as luavm GetComponents
 */
export const componentsFrom = <T>(
  items: readonly T[],
  componentOf: (item: T, i: number) => ComponentValues,
): Promise<Component[]> => componentsIn(items, (item, i) => withoutEmpty({ ...componentOf(item, i) }));

/** Returns the number of replicas without its fraction, and what one requires. Throws if a value has a wrong type. as luavm GetReplicas */
export function replicasFrom(count: unknown, requirements: object | undefined): Replicas {
  if (typeof count !== 'number') throw unexpected('the number of replicas', count, 'a number');
  return {
    replicas: replicaCount(count),
    requirements: requirements && requirementsOf(withoutEmpty({ ...requirements })),
  };
}
