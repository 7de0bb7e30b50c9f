import type { Stall } from './inside.js';

/** What no input may exceed. */
export const limits = {
  /** Milliseconds. */
  stall: 100,
  /** Part of the memory before by which it may be more afterwards. */
  memory: 0.1,
  /** Bytes that are not looked at: what any request leaves behind. */
  slack: 8 << 20,
};

/** Of a machine that is slow, or slowed down by others now, more time is expected in proportion. */
export const isTooLong = ({ cpu, slowness }: Stall): boolean => cpu >= limits.stall * slowness;
