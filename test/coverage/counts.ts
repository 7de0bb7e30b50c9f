/** Execution counts of one module in one process, as V8's profiler reports them. */
import type { Branch } from './branches.js';

/** Offsets of the first character and behind the last one, and how many times the text between them was executed. */
export type Range = readonly [start: number, end: number, count: number];

/**
 * Returns the execution count at an offset: that of the innermost range. Ranges are nested and in V8's order, in which an inner one follows the
 * outer one of the same bounds.
 */
export function countsAt(ranges: readonly Range[]): (offset: number) => number {
  const steps: { readonly from: number; readonly count: number }[] = [];
  const open: Range[] = [];
  const close = (upTo: number): void => {
    for (let last = open.at(-1); last && last[1] <= upTo; last = open.at(-1)) {
      open.pop();
      steps.push({ from: last[1], count: open.at(-1)?.[2] ?? 0 });
    }
  };
  for (const range of [...ranges].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    close(range[0]);
    open.push(range);
    steps.push({ from: range[0], count: range[2] });
  }
  close(Infinity);
  return offset => {
    let low = 0;
    let high = steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((steps[middle]?.from ?? Infinity) <= offset) low = middle + 1;
      else high = middle;
    }
    return steps[low - 1]?.count ?? 0;
  };
}

/** Returns for each branch whether it was taken. */
export function taken(branches: readonly Branch[], ranges: readonly Range[]): readonly boolean[] {
  const countAt = countsAt(ranges);
  return branches.map(({ at, unless }) => (unless === undefined ? countAt(at) > 0 : countAt(at) < countAt(unless)));
}
