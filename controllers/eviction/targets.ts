import type { Binding } from '../../api/karmada/types.js';

/** The index of bindings by the clusters that they target. */
export const targetIndexers = {
  target: ({ spec }: Binding): string[] => spec.clusters?.map(({ name }) => name) ?? [],
};
