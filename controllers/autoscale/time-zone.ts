import { LRUCache } from 'lru-cache';

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

/** Zones by their name. A format takes some ten kilobytes and a part of a millisecond, and thousands of rules may have the same zone. */
const zones = new LRUCache<string, Zone>({ max: 1000 });

/** Returns the zone of that name: for undefined or `Local` the machine's, for '' UTC. Throws RangeError for an unknown zone. */
export function timeZone(name = 'Local'): Zone {
  const known = zones.get(name);
  if (known) return known;
  const zone = openZone(name);
  zones.set(name, zone);
  return zone;
}

function openZone(name: string): Zone {
  const isMachineZone = name === 'Local';
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
