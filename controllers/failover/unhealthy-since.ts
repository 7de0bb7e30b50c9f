/**
 * The times since when the clusters of a binding have been unhealthy, in an annotation of the binding. So they survive a restart and a change of the
 * leader. An annotation changes no generation, so that nothing is scheduled again, and Karmada ignores it.
 *
 * differs: Karmada holds the times in memory.
 */
import { parseJson } from '../../lib/json/json.js';
import type { Binding } from '../../api/karmada/types.js';
import { annotations } from '../../api/karmada/well-known.js';

/** Times by cluster, in milliseconds since the epoch. */
export type UnhealthySince = ReadonlyMap<string, number>;

/** Returns the noted times. What others have written and is no time is ignored. */
function notedTimes({ metadata }: Binding): UnhealthySince {
  const text = metadata.annotations?.[annotations.unhealthySince];
  if (text === undefined) return new Map();
  let noted: unknown;
  try {
    noted = parseJson(text);
  } catch {
    return new Map();
  }
  if (typeof noted !== 'object' || noted === null) return new Map();
  return new Map(
    Object.entries(noted)
      .map(([cluster, time]) => [cluster, typeof time === 'string' ? Date.parse(time) : NaN] as const)
      .filter(([, time]) => !Number.isNaN(time)),
  );
}

/**
 * Returns the times of the clusters that are unhealthy: `now` for those without a note; and those noted for `unrecovered` clusters. The time of another
 * cluster starts again, since its note is removed. A note from the future is of a server whose clock was ahead.
 */
export function unhealthyTimes(
  binding: Binding,
  unhealthy: readonly string[],
  unrecovered: readonly string[],
  now: number,
): UnhealthySince {
  const noted = notedTimes(binding);
  const kept = unrecovered.filter(cluster => noted.has(cluster));
  return new Map([...kept, ...unhealthy].map(cluster => [cluster, Math.min(noted.get(cluster) ?? now, now)]));
}

/** Writes the times into a draft of the binding. */
export function noteTimes({ metadata }: Binding, since: UnhealthySince): void {
  if (since.size > 0) {
    const times = [...since].map(([cluster, time]) => [cluster, new Date(time).toISOString()] as const);
    (metadata.annotations ??= {})[annotations.unhealthySince] = JSON.stringify(Object.fromEntries(times));
    return;
  }
  delete metadata.annotations?.[annotations.unhealthySince];
  if (metadata.annotations && Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
}
