/** Recorded results of Karmada's functions that are not compared, with the reason. */

/** Vectors in `test/data/golden` that no check covers. */
interface NotRun {
  readonly area: string;
  /** The prefix that the names of the vectors have, or the names themselves. */
  readonly names: string | readonly string[];
  /** Number of vectors. */
  readonly count: number;
  readonly reason: string;
}

export const notRun: readonly NotRun[] = [
  {
    area: 'scheduling',
    names: ['schedule-0371', 'schedule-0754', 'schedule-1068', 'schedule-1369'],
    count: 4,
    reason: 'Karmada adds up available replicas in 32 bits. The sum overflows, and Karmada refuses a binding that fits',
  },
];

/** Returns whether an entry lists the vector of that name. */
export const lists = ({ names }: NotRun, name: string): boolean =>
  typeof names === 'string' ? name.startsWith(names) : names.includes(name);
