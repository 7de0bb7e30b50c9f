import type { Cursor } from './interface.js';
import { iterate } from './iterate.js';

const end = { value: undefined, done: true } as const;
const nobody = (): void => undefined;

/** An AsyncGenerator, or the half of one. */
type Steps<T> = Pick<AsyncGenerator<T, Cursor<T> | undefined | void>, 'next' | 'return'>;

/**
 * What takes waiting to make, as a cursor: a step of the generator is asked for when one is wanted, and not before. The cursor that the generator
 * returns goes on where it ends, in its place.
 */
export function cursorOf<T>(steps: Steps<T>): Cursor<T> {
  let wake = nobody;
  let asking = false;
  let over = false;
  let held: IteratorResult<T, undefined> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let goingOn: Cursor<T> | undefined;

  function stepped(result: IteratorResult<T, Cursor<T> | undefined | void>): void {
    asking = false;
    if (over) return void (result.done === true && result.value?.close());
    if (result.done !== true) held = result;
    else {
      over = true;
      if (result.value) stepAside(result.value);
    }
    wake();
  }

  // hot: what goes on is then asked directly.
  function stepAside(rest: Cursor<T>): void {
    goingOn = rest;
    rest.onReady(wake);
    cursor.take = rest.take;
    cursor.onReady = rest.onReady;
    cursor.close = rest.close;
  }

  function failed(error: unknown): void {
    asking = false;
    if (over) return;
    over = true;
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
    },
    close() {
      if (over) return;
      over = true;
      held = undefined;
      // Nobody is left to hear what goes wrong.
      steps.return(undefined).catch(nobody);
      wake();
    },
    company: () => goingOn?.company?.(),
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
