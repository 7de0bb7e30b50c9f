/** Measures how fast this machine computes now. */

/** Milliseconds of CPU that `work` took on a machine of 2025. */
const defaultWork = 5;
const text = JSON.stringify(
  Array.from({ length: 5000 }, (_, i) => ({ name: `name-${i}`, labels: { app: `a${i}` }, i })),
);

function work(): void {
  const list = JSON.parse(text) as { readonly name: string }[];
  list.sort((a, b) => (a.name < b.name ? 1 : -1));
  JSON.stringify(list);
}

const rounds = 20;

/**
 * Returns the ratio of computing times, of this machine now to the one on which the limits were set; at least 1. `cpuMs` returns the CPU time of
 * this thread, in milliseconds.
 */
export function slownessNow(cpuMs: () => number): number {
  work(); // The first call compiles it.
  const before = cpuMs();
  for (let i = 0; i < rounds; i++) work();
  return Math.max(1, (cpuMs() - before) / rounds / defaultWork);
}

/** Returns the slowness by wall-clock time, to which other processes and other threads of this one contribute. */
export const wallSlowness = (): number => slownessNow(() => performance.now());
