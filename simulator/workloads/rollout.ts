/** How a rollout goes on: pure decisions over counts of replicas. */

/** One version of a Deployment: how many replicas it should have now, and how many of them serve. */
export interface Version {
  readonly name: string;
  readonly replicas: number;
  readonly available: number;
}

export interface RollingUpdate {
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

/** A number, or a share of `total`: surges are rounded up, what may be missing down. as apimachinery intstr GetScaledValueFromIntOrPercent */
export function amount(value: number | string | undefined, total: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value ?? '25%')?.[1];
  return percent === undefined ? 0 : round((total * Number(percent)) / 100);
}

/**
 * The next replica counts of a rolling update, by the names of the versions; a version that is missing stays as it is.
 * Never more than `desired` + maxSurge replicas at once, never fewer than `desired` - maxUnavailable that serve.
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
  for (const version of older) down(version, version.replicas - version.available); // what does not serve costs nothing
  for (const version of older) down(version, version.replicas);
  return next;
}

/** The old versions first, all of them; then the new one. `running`: Pods of old versions that still exist. */
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
