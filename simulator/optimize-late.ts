import process from 'node:process';
import v8 from 'node:v8';

/** Bytes of executed bytecode after which Node 20 considers a function for optimisation; its default is 66 KiB. */
const budget = 200_000;

/**
 * Makes V8 optimise only functions that run often, in all threads of the process. With simulated members a process runs the same thousands of
 * functions in two threads, a few hundred times each in its first seconds. Optimising all of them was measured to take a quarter of the CPU time
 * then, while work waits; with this budget it takes a seventh. A server without members has one such thread and long-lived clients: for it some
 * ten thousand requests would become slower (docs/performance.md). Later versions of V8 wait for 3,000 calls, and lack this option.
 *
 * Call it as soon as every thread has loaded its code: V8 rejects cached code that was compiled with other options.
 */
export function optimizeLate(): void {
  if (process.version.startsWith('v20.')) v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}
