import type { Cursor } from './interface.js';
import { iterate } from './iterate.js';

/** Returns a cursor over `first`, whose values are made as they are taken, and then over `then`. */
export function startingWith<T>(first: Iterator<T, undefined>, then: Cursor<T>): Cursor<T> {
  let remaining: Iterator<T, undefined> | undefined = first;
  const cursor: Cursor<T> = {
    take() {
      if (remaining === undefined) return then.take();
      const next = remaining.next();
      if (next.done !== true) return next;
      remaining = undefined;
      return then.take();
    },
    onReady: wake => then.onReady(wake),
    close() {
      remaining = undefined;
      then.close();
    },
    company: () => (remaining === undefined ? then.company?.() : undefined),
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}
