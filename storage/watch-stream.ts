/** Lets streams that get the same values from one position on share one stream that reads for all of them, while they are suspended. */
export interface Sharing<T> {
  /** The same object for all streams with the same values. */
  readonly channel: object;
  /** Returns whether the channel has other streams, suspended or not. */
  hasOthers(): boolean;
  /** Returns the same object for all streams at the same position. Undefined while the stream catches up, and after its end. */
  position(): object | undefined;
  /** Suspends the stream: it is woken only by its end and by its own requests, and returns no values until `resume`. */
  suspend(): void;
  /** Continues from the position that another stream of the channel has reached. */
  resume(position: object): void;
  /** Returns another stream at the same position, which only its creator ends or asks for progress. */
  fork(): WatchStream<T>;
}

const noop = (): void => undefined;

/**
 * One reader's position in a stream of values, which can be read without waiting. Nothing is buffered for the reader: it reads at its own pace, and
 * gets an error when it falls behind. As an AsyncIterable it waits; breaking out of the loop closes it.
 */
export abstract class WatchStream<T> implements AsyncIterable<T> {
  /** Set by `onReady`. */
  protected listener: () => void = noop;

  /** Returns the next value, if there is one; undefined: not yet. Throws the error of the stream, once. */
  abstract take(): IteratorResult<T, undefined> | undefined;

  /** Unsubscribes: `take` then returns the end. */
  abstract close(): void;

  /**
   * Sets the function that is called whenever a value may be there that was not at the last `take`. It is called synchronously by the code that
   * made the value, must not throw, and should only take a note. A later listener replaces it.
   */
  onReady(listener: () => void): void {
    this.listener = listener;
  }

  /** Undefined: no other stream gets the same values, or it is not known yet. */
  sharing(): Sharing<T> | undefined {
    return undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return iterate(this);
  }
}

/** Returns an iterator over a stream, with one slot for the pending `next`. */
function iterate<T>(stream: WatchStream<T>): AsyncIterator<T, undefined> {
  let waiter: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void } | undefined;

  function settle(): void {
    if (waiter === undefined) return;
    const waiting = waiter;
    try {
      const result = stream.take();
      if (result === undefined) return;
      waiter = undefined;
      waiting.resolve(result);
    } catch (error) {
      waiter = undefined;
      waiting.reject(error);
    }
  }
  stream.onReady(settle);

  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (waiter !== undefined) throw new Error('a watch has one reader');
        waiter = { resolve, reject };
        settle();
      }),
    return: () => {
      stream.close();
      settle();
      return Promise.resolve({ value: undefined, done: true });
    },
  };
}
