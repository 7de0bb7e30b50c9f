import type { Stall } from './inside.js';

/** The limits for every input. */
export const limits = {
  /** The longest stall, in milliseconds of CPU. */
  stall: 100,
  /** The permitted growth of memory, as a fraction of the memory before. */
  memory: 0.1,
  /** Growth that is always permitted, in bytes: any request leaves some. */
  slack: 8 << 20,
};

/** Reports whether a stall is over the limit, which is proportionally higher on a machine that is slow, or slowed down by other processes. */
export const isTooLong = ({ cpu, slowness }: Stall): boolean => cpu >= limits.stall * slowness;
