/** The longest delay that a timer of the platform takes: a longer one would end at once. */
const longest = 2 ** 31 - 1;

/** A number of milliseconds as a timer takes it. The past is now: of a negative number newer engines warn. */
export const timerMs = (milliseconds: number): number => Math.min(Math.max(milliseconds, 0), longest);
