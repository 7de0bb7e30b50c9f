import type { BindingSpec } from '../../api/karmada/types.js';

/** Reports whether the resource has pods. Components or requirements count, whatever the number of replicas. */
export const isWorkload = (spec: BindingSpec): boolean =>
  (spec.replicas ?? 0) > 0 || spec.replicaRequirements !== undefined || (spec.components?.length ?? 0) > 0;
