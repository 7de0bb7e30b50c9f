/** Decides the next step of a rollout: pure functions of replica counts. */

/** One version of a Deployment: the replicas that it should have now, and those that are available. */
export interface Version {
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
export function amount(value: number | string | undefined, total: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '25%')?.[1];
  return percent === undefined ? 0 : round((total * Number(percent)) / 100);
}

/**
 * Returns the next replica counts of a rolling update by version name; versions that are left out do not change. There are never more than
 * `desired` + maxSurge replicas, and never fewer than `desired` - maxUnavailable available ones.
 */
export function rollingStep(
  desired: number,
  latest: Version,
  older: readonly Version[],
  { maxSurge, maxUnavailable }: RollingUpdate = {},
): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  const surge = amount(maxSurge, desired, Math.ceil);
  const missing = amount(maxUnavailable, desired, Math.floor);
  const unavailable = surge === 0 && missing === 0 ? 1 : missing;
  const total = [latest, ...older].reduce((sum, { replicas }) => sum + replicas, 0);

  const grown = Math.min(desired, Math.max(latest.replicas, latest.replicas + desired + surge - total));
  if (grown !== latest.replicas) next.set(latest.name, grown);

  const latestUnavailable = Math.max(0, grown - latest.available);
  let removable = total + (grown - latest.replicas) - (desired - unavailable) - latestUnavailable;
  const down = (version: Version, by: number): void => {
    const cut = Math.min(by, next.get(version.name) ?? version.replicas, removable);
    if (cut <= 0) return;
    next.set(version.name, (next.get(version.name) ?? version.replicas) - cut);
    removable -= cut;
  };
  for (const version of older) down(version, version.replicas - version.available); // unavailable replicas can always go
  for (const version of older) down(version, version.replicas);
  return next;
}

/** Returns the next replica counts: the old versions go first, all of them, then the new one comes. `running`: existing Pods of old versions. */
export function recreateStep(
  desired: number,
  latest: Version,
  older: readonly Version[],
  running: number,
): ReadonlyMap<string, number> {
  const next = new Map<string, number>();
  for (const { name, replicas } of older) if (replicas > 0) next.set(name, 0);
  if (next.size === 0 && running === 0 && latest.replicas !== desired) next.set(latest.name, desired);
  return next;
}
