/** Local time of a zone encoded as if it were UTC: milliseconds to be split by the UTC methods of Date. */
export type WallTime = number;

const dayMs = 86_400_000;

/** Zones that mean UTC. `Factory` is the tz database's zone for a machine whose zone is not configured; Intl does not have it. */
const asUtc: ReadonlySet<string> = new Set(['', 'Factory']);

export interface Zone {
  wallAt(instant: number): WallTime;
  /** Returns the first instant with this local time; the end of the gap if the zone skips it. */
  firstInstant(wall: WallTime): number;
}

/** Returns the zone of that name: for undefined or `Local` the machine's, for '' UTC. Throws RangeError for an unknown zone. */
export function timeZone(name: string | undefined): Zone {
  const isMachineZone = name === undefined || name === 'Local';
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: isMachineZone ? new Intl.DateTimeFormat().resolvedOptions().timeZone : asUtc.has(name) ? 'UTC' : name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
  });

  function wallAt(instant: number): WallTime {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const day = [part('year'), part('month') - 1, part('day')] as const;
    return Date.UTC(...day, part('hour'), part('minute'), part('second'));
  }

  const offsetAt = (instant: number): number => wallAt(instant) - Math.floor(instant / 1000) * 1000;

  return {
    wallAt,
    firstInstant(wall) {
      const before = offsetAt(wall - dayMs);
      const after = offsetAt(wall + dayMs);
      for (const offset of [before, after]) if (offsetAt(wall - offset) === offset) return wall - offset;
      return wall - before;
    },
  };
}
