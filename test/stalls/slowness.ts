/** How fast this machine computes now. */

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
 * How much longer this machine computes now than the one on which the limits were set; 1 when it is as fast or faster.
 * `cpuMs`: milliseconds that this thread has had of a CPU.
 */
export function slownessNow(cpuMs: () => number): number {
  work(); // Compiled at the first time.
  const before = cpuMs();
  for (let i = 0; i < rounds; i++) work();
  return Math.max(1, (cpuMs() - before) / rounds / defaultWork);
}
