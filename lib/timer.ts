/** The longest delay of a timer in milliseconds: a longer one would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns a number of milliseconds that timers accept; newer versions of Node warn of negative ones. */
export const timerMs = (milliseconds: number): number => Math.min(Math.max(milliseconds, 0), maxTimerMs);
