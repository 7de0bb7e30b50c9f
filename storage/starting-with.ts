import type { Cursor } from './interface.js';
import { iterate } from './iterate.js';

/** All of `first`, made as it is taken, and then what comes. */
export function startingWith<T>(first: Iterator<T, undefined>, then: Cursor<T>): Cursor<T> {
  let beginning: Iterator<T, undefined> | undefined = first;
  const cursor: Cursor<T> = {
    take() {
      if (beginning === undefined) return then.take();
      const next = beginning.next();
      if (next.done !== true) return next;
      beginning = undefined;
      return then.take();
    },
    onReady: wake => then.onReady(wake),
    close() {
      beginning = undefined;
      then.close();
    },
    company: () => (beginning === undefined ? then.company?.() : undefined),
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}
