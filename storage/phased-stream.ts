import { WatchStream } from './watch-stream.js';

/** Yields batches of initial values, and may return the stream that continues with live ones. */
export type Initial<T> = AsyncGenerator<Iterable<T>, WatchStream<T> | undefined | void>;

const end = { value: undefined, done: true } as const;
const noop = (): void => undefined;

/**
 * A stream in phases: initial values, which take waiting to make, then those of a live stream, then the end. The values of a batch are made as they are
 * taken, and the next batch is asked for when the last one is exhausted, not before.
 */
export class PhasedStream<T> extends WatchStream<T> {
  readonly #initial: Initial<T>;
  readonly #onClose: () => void;
  #phase: 'initial' | 'live' | 'ended' = 'initial';
  #batch: Iterator<T> | undefined;
  #isAsking = false;
  #live: WatchStream<T> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `onClose` is called by each `close`. */
  constructor(initial: Initial<T>, onClose: () => void = noop) {
    super();
    this.#initial = initial;
    this.#onClose = onClose;
  }

  /** hot: once per event and watcher. */
  take(): IteratorResult<T, undefined> | undefined {
    if (this.#live !== undefined) return this.#live.take();
    if (this.#phase === 'ended') return this.#ending();
    const next = this.#batch?.next();
    if (next !== undefined && next.done !== true) return next;
    this.#batch = undefined;
    if (this.#isAsking) return undefined;
    this.#isAsking = true;
    this.#initial.next().then(this.#received, this.#failed);
    return undefined;
  }

  override onReady(listener: () => void): void {
    this.listener = listener;
    this.#live?.onReady(listener);
  }

  override sharing(): ReturnType<WatchStream<T>['sharing']> {
    return this.#live?.sharing();
  }

  close(): void {
    this.#onClose();
    if (this.#live !== undefined) return this.#live.close();
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#batch = undefined;
    // Errors are dropped: the stream is closed.
    this.#initial.return(undefined).catch(noop);
    this.listener();
  }

  #ending(): IteratorResult<T, undefined> {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    return end;
  }

  readonly #received = (result: IteratorResult<Iterable<T>, WatchStream<T> | undefined | void>): void => {
    this.#isAsking = false;
    if (this.#phase === 'ended') return void (result.done === true && result.value?.close());
    if (result.done !== true) this.#batch = result.value[Symbol.iterator]();
    else if (result.value) this.#continue(result.value);
    else this.#phase = 'ended';
    this.listener();
  };

  readonly #failed = (error: unknown): void => {
    this.#isAsking = false;
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#failure = { error };
    this.listener();
  };

  #continue(live: WatchStream<T>): void {
    this.#phase = 'live';
    this.#live = live;
    live.onReady(this.listener);
  }
}

/** Returns a stream over values that are made one by one. */
export const streamOf = <T>(values: AsyncGenerator<T, WatchStream<T> | undefined | void>): PhasedStream<T> =>
  new PhasedStream(batched(values));

async function* batched<T>(values: AsyncGenerator<T, WatchStream<T> | undefined | void>): Initial<T> {
  try {
    for (let next = await values.next(); ; next = await values.next()) {
      if (next.done === true) return next.value;
      yield [next.value];
    }
  } finally {
    await values.return(undefined);
  }
}
