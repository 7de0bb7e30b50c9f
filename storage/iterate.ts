import type { Cursor } from './interface.js';

/** Returns an iterator over a cursor, with one slot for the pending `next`. */
export function iterate<T>(cursor: Cursor<T>): AsyncIterator<T, undefined> {
  let waiter: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void } | undefined;

  function settle(): void {
    if (waiter === undefined) return;
    const waiting = waiter;
    try {
      const result = cursor.take();
      if (result === undefined) return;
      waiter = undefined;
      waiting.resolve(result);
    } catch (error) {
      waiter = undefined;
      waiting.reject(error);
    }
  }
  cursor.onReady(settle);

  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (waiter !== undefined) throw new Error('a watch has one reader');
        waiter = { resolve, reject };
        settle();
      }),
    return: () => {
      cursor.close();
      settle();
      return Promise.resolve({ value: undefined, done: true });
    },
  };
}
