import type { Cursor } from './interface.js';
import { iterate } from './iterate.js';

const end = { value: undefined, done: true } as const;
const noop = (): void => undefined;

/** An AsyncGenerator, or an object with two of its methods. */
type Steps<T> = Pick<AsyncGenerator<T, Cursor<T> | undefined | void>, 'next' | 'return'>;

/**
 * Returns a cursor over values that take waiting to make. Each step of the generator runs when `take` needs it, not before. The cursor that the
 * generator returns continues where it ends.
 */
export function cursorOf<T>(steps: Steps<T>): Cursor<T> {
  let wake = noop;
  let asking = false;
  let ended = false;
  let held: IteratorResult<T, undefined> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let continuation: Cursor<T> | undefined;

  function stepped(result: IteratorResult<T, Cursor<T> | undefined | void>): void {
    asking = false;
    if (ended) return void (result.done === true && result.value?.close());
    if (result.done !== true) held = result;
    else {
      ended = true;
      if (result.value) switchTo(result.value);
    }
    wake();
  }

  // hot: the continuation is then called directly.
  function switchTo(next: Cursor<T>): void {
    continuation = next;
    next.onReady(wake);
    cursor.take = next.take;
    cursor.onReady = next.onReady;
    cursor.close = next.close;
  }

  function failed(error: unknown): void {
    asking = false;
    if (ended) return;
    ended = true;
    failure = { error };
    wake();
  }

  const cursor: Cursor<T> = {
    take() {
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (ended) return end;
      const result = held;
      held = undefined;
      if (result !== undefined || asking) return result;
      asking = true;
      steps.next().then(stepped, failed);
      return undefined;
    },
    onReady(listener) {
      wake = listener;
    },
    close() {
      if (ended) return;
      ended = true;
      held = undefined;
      // Errors are dropped: the cursor is closed.
      steps.return(undefined).catch(noop);
      wake();
    },
    company: () => continuation?.company?.(),
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}

/** Returns a cursor that opens another one and continues with it. */
export const late = <T>(open: () => Promise<Cursor<T>>): Cursor<T> =>
  cursorOf<T>({
    next: async () => ({ value: await open(), done: true }),
    return: () => Promise.resolve({ value: undefined, done: true }),
  });
