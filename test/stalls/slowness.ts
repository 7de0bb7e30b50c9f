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

/** Milliseconds that one page fault takes on a machine of 2025: it clears a page of 4 KiB, and a hypervisor may have to provide it. */
const defaultFault = 0.001;
const pageBytes = 4096;
const touchedPages = 1024;
/** The C library takes a block of this size from the kernel, so that none of its pages was touched before. */
const blockBytes = 48 << 20;

/**
 * Returns by how many milliseconds a page fault of this thread takes longer now than on the machine on which the limits were set; at least 0. There
 * are virtual machines on which a fault takes 20 microseconds, although they compute as fast as others.
 */
export function slownessOfFaults(cpuMs: () => number): number {
  const bytes = Buffer.allocUnsafeSlow(blockBytes);
  const before = cpuMs();
  for (let page = 0; page < touchedPages; page++) bytes[page * pageBytes] = 1;
  return Math.max(0, (cpuMs() - before) / touchedPages - defaultFault);
}
