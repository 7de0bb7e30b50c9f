import type { Maybe } from '../../lib/maybe.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { Deciding, EstimateQuery, EstimateTable } from '../interface.js';

/**
 * Runs a decision to its end in time slices, and answers what it asks. Without a question it is decided at once where one slice is enough. An error of
 * a step is thrown, or rejects the promise; `answer` does not reject.
 */
export function decided<T>(steps: Deciding<T>, answer: (query: EstimateQuery) => Promise<EstimateTable>): Maybe<T> {
  const slice = new TimeSlice();
  const begin = slice.pause();
  if (begin) return resumed(steps, answer, slice, begin);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const wait = value ? answer(value) : slice.pause();
    if (wait) return resumed(steps, answer, slice, wait);
  }
}

async function resumed<T>(
  steps: Deciding<T>,
  answer: (query: EstimateQuery) => Promise<EstimateTable>,
  slice: TimeSlice,
  first: Promise<EstimateTable | void>,
): Promise<T> {
  let wait: Promise<EstimateTable | void> | undefined = first;
  for (;;) {
    const given = wait && (await wait);
    const { done, value } = steps.next(given ?? undefined);
    if (done) return value;
    wait = value ? answer(value) : slice.pause();
  }
}
