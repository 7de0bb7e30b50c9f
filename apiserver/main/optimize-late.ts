import v8 from 'node:v8';

/** Bytecodes that run in a function before the engine asks whether to optimise it; its own measure is 66 KiB. */
const budget = 400_000;

/**
 * Has the engine optimise only what runs much: a server calls thousands of functions a few hundred times in its first seconds of work, and
 * to optimise them all was measured to take a quarter of the CPU of that time. What is hot becomes so within a second, still.
 * To be called when all code is loaded: with other options than it was compiled with no thread takes compiled code.
 */
export function optimizeLate(): void {
  v8.setFlagsFromString(`--interrupt-budget=${budget}`);
}
