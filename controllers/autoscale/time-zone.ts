/** A wall clock's reading, as if it were UTC: milliseconds that Date's UTC methods take apart. */
export type WallTime = number;

const dayMs = 86_400_000;

/** `Factory`: of machines that nobody has told yet where they are. Intl has no such zone. */
const asUtc: ReadonlySet<string> = new Set(['', 'Factory']);

export interface Zone {
  wallAt(instant: number): WallTime;
  /** The first instant at which the zone's clocks show that time; the end of the gap where they skip it. */
  firstInstant(wall: WallTime): number;
}

/** `undefined` or `Local`: the machine's zone; '': UTC. Throws RangeError for a zone that is not known. */
export function timeZone(name: string | undefined): Zone {
  const own = name === undefined || name === 'Local';
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: own ? new Intl.DateTimeFormat().resolvedOptions().timeZone : asUtc.has(name) ? 'UTC' : name,
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
