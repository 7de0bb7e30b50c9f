/** Work that is cut into steps, so that the event loop has its turn between them. */

const usualSliceMs = 8;

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs the steps to their end. The event loop has its turn after each slice of time, at the end of the step that used it up. */
export async function inTimeSlices<T>(steps: Iterator<unknown, T>, sliceMs = usualSliceMs): Promise<T> {
  let sliceEnd = performance.now() + sliceMs;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + sliceMs;
  }
}

/** Runs the steps to their end in this turn. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
