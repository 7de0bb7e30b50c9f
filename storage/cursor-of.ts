import type { Cursor } from './interface.js';
import { iterate } from './iterate.js';

const end = { value: undefined, done: true } as const;
const nobody = (): void => undefined;

/** An AsyncGenerator, or the half of one. */
type Steps<T> = Pick<AsyncGenerator<T, Cursor<T> | undefined | void>, 'next' | 'return'>;

/**
 * What takes waiting to make, as a cursor: a step of the generator is asked for when one is wanted, and not before. The cursor that the generator
 * returns goes on where it ends, without it.
 */
export function cursorOf<T>(steps: Steps<T>): Cursor<T> {
  let wake = nobody;
  let asking = false;
  let over = false;
  let held: IteratorResult<T, undefined> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let rest: Cursor<T> | undefined;

  function stepped(result: IteratorResult<T, Cursor<T> | undefined | void>): void {
    asking = false;
    if (over) return void (result.done === true && result.value?.close());
    if (result.done !== true) held = result;
    else {
      over = true;
      rest = result.value ?? undefined;
      rest?.onReady(wake);
    }
    wake();
  }

  function failed(error: unknown): void {
    asking = false;
    if (over) return;
    over = true;
    failure = { error };
    wake();
  }

  const cursor: Cursor<T> = {
    // hot: once per change and watcher, when the generator is through.
    take() {
      if (rest !== undefined) return rest.take();
      if (failure !== undefined) {
        const { error } = failure;
        failure = undefined;
        throw error;
      }
      if (over) return end;
      const result = held;
      held = undefined;
      if (result !== undefined || asking) return result;
      asking = true;
      steps.next().then(stepped, failed);
      return undefined;
    },
    onReady(listener) {
      wake = listener;
      rest?.onReady(listener);
    },
    close() {
      rest?.close();
      if (over) return;
      over = true;
      held = undefined;
      // Nobody is left to hear what goes wrong.
      steps.return(undefined).catch(nobody);
      wake();
    },
    [Symbol.asyncIterator]: () => iterate(cursor),
  };
  return cursor;
}

/** A cursor that is not there yet. */
export const late = <T>(open: () => Promise<Cursor<T>>): Cursor<T> =>
  cursorOf<T>({
    next: async () => ({ value: await open(), done: true }),
    return: () => Promise.resolve({ value: undefined, done: true }),
  });
