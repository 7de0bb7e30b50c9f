const turnMs = 4;
let turnStarted = 0;
let pending: Promise<void> | undefined;

/**
 * Lets sockets and timers have their turn once this turn of the event loop has lasted a few milliseconds. Work in process completes
 * in microtasks, so a queue that is never empty would otherwise keep the loop to itself. All workers share one turn.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  if (pending) return pending;
  const now = performance.now();
  if (turnStarted === 0) {
    turnStarted = now;
    setImmediate(() => (turnStarted = 0));
    return undefined;
  }
  if (now - turnStarted < turnMs) return undefined;
  pending = new Promise(resolve =>
    setImmediate(() => {
      pending = undefined;
      turnStarted = 0;
      resolve();
    }),
  );
  return pending;
}

/** Calls `act` for each item and lets sockets and timers have their turn in between. Only `act` may change the collection meanwhile. */
export async function eachInTurns<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  for (const item of items) {
    act(item);
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
}
