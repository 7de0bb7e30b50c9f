import type { Stall } from './inside.js';

/** The longest stall, and how slow the machine is. */
export interface JudgedStall extends Stall {
  /** The ratio of computing times, of this machine now to the one on which the limits were set; at least 1, and 1 for a stall below all limits. */
  readonly slowness: number;
}

/** The limits for every input. */
export const limits = {
  /**
   * The longest stall that one kind of input may cause, in milliseconds of CPU. The rule is 50 ms, without other processes: they share caches and
   * cores with the server, which costs it CPU time, too.
   */
  stall: 60,
  /** The same where many kinds of input come together: random requests, and whole members that are hostile. */
  stallOfMany: 100,
  /** The 99th percentile of the latency of `/version`, in milliseconds without those of waiting for a CPU. */
  versionP99: 50,
  /** The permitted growth of memory, as a fraction of the memory before. */
  memory: 0.1,
  /** Growth that is always permitted, in bytes: any request leaves some. */
  slack: 8 << 20,
};

/** Reports whether a stall is over the limit, which is proportionally higher on a machine that is slow, or slowed down by other processes. */
export const isTooLong = ({ cpu, slowness }: JudgedStall, limit = limits.stall): boolean => cpu >= limit * slowness;
