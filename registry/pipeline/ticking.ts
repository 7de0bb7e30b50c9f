/** Stands among the items for: so much time has passed. */
export const tick: unique symbol = Symbol('tick');

interface Slot<T> {
  resolve(result: IteratorResult<T | typeof tick, void>): void;
  reject(error: unknown): void;
}

/**
 * The items of a source, and ticks between them, also while the source is silent. `nextMs`: in how many milliseconds the next tick is
 * due, asked at the start and after each tick; undefined: there are no more. One request to the source is open at a time, and its
 * answer wakes one waiter slot: nothing is raced.
 */
export function ticking<T>(source: AsyncIterable<T>, nextMs: () => number | undefined): AsyncIterable<T | typeof tick> {
  return { [Symbol.asyncIterator]: () => start(source[Symbol.asyncIterator](), nextMs) };
}

function start<T>(
  items: AsyncIterator<T, unknown>,
  nextMs: () => number | undefined,
): AsyncIterator<T | typeof tick, void> {
  let asking = false;
  let due = false;
  let waiter: Slot<T> | undefined;
  /** Came while nobody waited, after a tick had been handed out. */
  let arrived: ((to: Slot<T>) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  arm();

  function arm(): void {
    const ms = nextMs();
    if (ms === undefined) return;
    timer = setTimeout(() => {
      due = true;
      wake();
    }, ms).unref();
  }

  function wake(): void {
    if (!waiter || !(arrived || due)) return;
    const slot = waiter;
    waiter = undefined;
    if (arrived) {
      const answer = arrived;
      arrived = undefined;
      answer(slot);
    } else {
      due = false;
      arm();
      slot.resolve({ value: tick, done: false });
    }
  }

  function ask(): void {
    if (asking || arrived) return;
    asking = true;
    items.next().then(
      result => {
        asking = false;
        if (result.done) clearTimeout(timer);
        arrived = slot => slot.resolve(result.done ? { value: undefined, done: true } : result);
        wake();
      },
      (error: unknown) => {
        asking = false;
        clearTimeout(timer);
        arrived = slot => slot.reject(error);
        wake();
      },
    );
  }

  return {
    next: () =>
      new Promise((resolve, reject) => {
        waiter = { resolve, reject };
        ask();
        wake();
      }),
    async return() {
      clearTimeout(timer);
      await items.return?.();
      return { value: undefined, done: true };
    },
  };
}
