import { type InSteps, Strides } from '../time-slice.js';

/** Items that are sorted in one step. */
const runLength = 512;

type Order<T> = (a: T, b: T) => number;

function* merged<T>(a: readonly T[], b: readonly T[], order: Order<T>, strides: Strides): InSteps<T[]> {
  const result: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const takesFirst = j >= b.length || (i < a.length && order(a[i] as T, b[j] as T) <= 0);
    result.push((takesFirst ? a[i++] : b[j++]) as T);
    if (strides.isOver) yield;
  }
  return result;
}

/**
 * Returns the items in order, as a computation in steps: `Array.prototype.sort` holds the event loop until all are sorted. Equal items keep their
 * order.
 */
export function* sortInSteps<T>(items: readonly T[], order: Order<T>): InSteps<readonly T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort(order));
    yield;
  }
  const strides = new Strides(runLength);
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [first = [], second] = [runs[i], runs[i + 1]];
      longer.push(second ? yield* merged(first, second, order, strides) : first);
    }
    runs = longer;
  }
  return runs[0] ?? [];
}
