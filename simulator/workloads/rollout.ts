/** Decides the next step of a rollout: pure functions of replica counts. */

/** The replica counts of one ReplicaSet of the Deployment: those that it should have now, and those that are available. */
export interface ReplicaSetState {
  readonly name: string;
  readonly replicas: number;
  readonly available: number;
}

export interface RollingUpdate {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

/**
 * Returns a number, or a percentage of `total` rounded with `round`: surges are rounded up, unavailable Pods down. as apimachinery intstr
 * GetScaledValueFromIntOrPercent
 */
export function scaledValue(value: number | string | undefined, total: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '25%')?.[1];
  return percent === undefined ? 0 : round((total * Number(percent)) / 100);
}

/**
 * Returns the next replica counts of a rolling update by the name of the ReplicaSet; those that are left out do not change. There are never more than
 * `desired` + maxSurge replicas, and never fewer than `desired` - maxUnavailable available ones.
 */
export function rollingStep(
  desired: number,
  latest: ReplicaSetState,
  older: readonly ReplicaSetState[],
  { maxSurge, maxUnavailable }: RollingUpdate = {},
): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  const surge = scaledValue(maxSurge, desired, Math.ceil);
  const maxUnavailablePods = scaledValue(maxUnavailable, desired, Math.floor);
  const unavailable = surge === 0 && maxUnavailablePods === 0 ? 1 : maxUnavailablePods;
  const total = [latest, ...older].reduce((sum, { replicas }) => sum + replicas, 0);

  const grown = Math.min(desired, Math.max(latest.replicas, latest.replicas + desired + surge - total));
  if (grown !== latest.replicas) next.set(latest.name, grown);

  const latestUnavailable = Math.max(0, grown - latest.available);
  let removable = total + (grown - latest.replicas) - (desired - unavailable) - latestUnavailable;
  const down = (state: ReplicaSetState, by: number): void => {
    const cut = Math.min(by, next.get(state.name) ?? state.replicas, removable);
    if (cut <= 0) return;
    next.set(state.name, (next.get(state.name) ?? state.replicas) - cut);
    removable -= cut;
  };
  for (const state of older) down(state, state.replicas - state.available); // unavailable replicas can always go
  for (const state of older) down(state, state.replicas);
  return next;
}

/** Returns the next replica counts: the old ReplicaSets go to zero first, then the new one grows. `running`: existing Pods of old ReplicaSets. */
export function recreateStep(
  desired: number,
  latest: ReplicaSetState,
  older: readonly ReplicaSetState[],
  running: number,
): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { name, replicas } of older) if (replicas > 0) next.set(name, 0);
  if (next.size === 0 && running === 0 && latest.replicas !== desired) next.set(latest.name, desired);
  return next;
}
