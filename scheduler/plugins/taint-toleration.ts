import type { Taint, Toleration } from '../../registry/kinds/karmada/types.js';
import type { Filter } from '../interface.js';

/** as k8s.io/api core/v1 Toleration.ToleratesTaint */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator ?? 'Equal') {
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    default:
      return false;
  }
}

/** `key=value:effect`, the value only when there is one. */
export const taintText = ({ key, value, effect }: Taint): string => `${key}${value ? `=${value}` : ''}:${effect}`;

/** Taints keep new bindings away; where a binding is placed already, eviction decides and not the scheduler. */
export const taintToleration: Filter = ({ spec }, cluster) => {
  if (spec.clusters?.some(target => target.name === cluster.metadata.name)) return undefined;
  const tolerations = spec.placement?.clusterTolerations ?? [];
  const taint = cluster.spec.taints?.find(
    taint =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some(toleration => tolerates(toleration, taint)),
  );
  return taint && `cluster(s) had untolerated taint {${taintText(taint)}}`;
};
