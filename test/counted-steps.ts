import type { InSteps } from '../lib/time-slice.js';

/** Runs steps to their end, unlike `atOnce`, with which there may be only one. Returns their result, and how many there were. */
export function countedSteps<T>(steps: InSteps<T>): { readonly count: number; readonly value: T } {
  let count = 1;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count++;
  return { count, value: step.value };
}
