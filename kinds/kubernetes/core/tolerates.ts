interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

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

/** Returns the first taint without a toleration that keeps new work away. */
export const untoleratedTaint = <T extends Taint>(
  taints: readonly T[],
  tolerations: readonly Toleration[],
): T | undefined =>
  taints.find(
    taint =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some(toleration => tolerates(toleration, taint)),
  );
