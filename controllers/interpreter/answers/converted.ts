import { yieldToEventLoop } from '../../../lib/time-slice.js';

/** Converts the items of a list, and lets sockets and timers run in between. */
export async function converted<T, R>(list: readonly T[], convert: (item: T, i: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [i, item] of list.entries()) {
    results.push(convert(item, i));
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  return results;
}
