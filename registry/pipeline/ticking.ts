/** Stands among the items for: so much time has passed. */
export const tick: unique symbol = Symbol('tick');

interface Slot<T> {
  resolve(result: IteratorResult<T | typeof tick, void>): void;
  reject(error: unknown): void;
}

/**
 * The items of a source, and a tick every so many milliseconds, also while the source is silent. One request to the source is open at a
 * time, and its answer wakes one waiter slot: nothing is raced.
 */
export function ticking<T>(source: AsyncIterable<T>, everyMs: number): AsyncIterable<T | typeof tick> {
  return { [Symbol.asyncIterator]: () => start(source[Symbol.asyncIterator](), everyMs) };
}

function start<T>(items: AsyncIterator<T, unknown>, everyMs: number): AsyncIterator<T | typeof tick, void> {
  let asking = false;
  let due = false;
  let waiter: Slot<T> | undefined;
  /** Came while nobody waited, after a tick had been handed out. */
  let arrived: ((to: Slot<T>) => void) | undefined;
  const timer = setInterval(() => {
    due = true;
    wake();
  }, everyMs);
  timer.unref();

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
      slot.resolve({ value: tick, done: false });
    }
  }

  function ask(): void {
    if (asking || arrived) return;
    asking = true;
    items.next().then(
      result => {
        asking = false;
        if (result.done) clearInterval(timer);
        arrived = slot => slot.resolve(result.done ? { value: undefined, done: true } : result);
        wake();
      },
      (error: unknown) => {
        asking = false;
        clearInterval(timer);
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
      clearInterval(timer);
      await items.return?.();
      return { value: undefined, done: true };
    },
  };
}
