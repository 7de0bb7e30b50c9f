/**
 * Calls `act` for each item, for a limited number of items at a time, in their order. Rejects with the first error when all calls have ended: after an
 * error, one fewer runs at a time, so that no item is begun any more after as many errors as may run.
 */
export async function eachConcurrently<T>(
  items: readonly T[],
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
