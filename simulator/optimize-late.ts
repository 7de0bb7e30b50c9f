import process from 'node:process';
import v8 from 'node:v8';

/** Bytecodes that run in a function before the engine of Node 20 asks itself whether to optimise it; left alone it asks after 66 KiB. */
const budget = 200_000;

/**
 * Has the engine optimise what runs much only, in all threads of the process. With simulated members a process runs the same thousands of
 * functions in two threads, a few hundred times each in its first seconds of work, and to optimise them all was measured to take a quarter
 * of the CPU of that time, while work waits; with this budget it is a seventh. A server without them has one such thread and clients that
 * stay: there some ten thousand requests would be slower for it (docs/performance.md). Later engines wait for 3,000 calls, and know no such
 * option.
 * To be called as soon as every thread has loaded its code: with other options than it was compiled with none takes compiled code.
 */
export function optimizeLate(): void {
  if (process.version.startsWith('v20.')) v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}
