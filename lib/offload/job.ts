import type { DeferredInput, OffloadOptions } from './interface.js';

/** A task that waits or runs. It settles once; later results are dropped. */
export class OffloadJob {
  readonly task: string;
  readonly input: Uint8Array | DeferredInput;
  readonly key: string;
  /** Milliseconds. */
  readonly limit: number;
  readonly output: Promise<Uint8Array>;
  settled = false;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: () => void;
  #resolve: (output: Uint8Array) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  /** `onAbort` is called after the job has rejected because its signal aborted. */
  constructor(
    task: string,
    input: Uint8Array | DeferredInput,
    { key = '', limit, signal }: OffloadOptions & { readonly limit: number },
    onAbort: (job: OffloadJob) => void,
  ) {
    this.task = task;
    this.input = input;
    this.key = key;
    this.limit = limit;
    this.output = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#signal = signal;
    this.#onAbort = () => {
      this.reject(signal?.reason);
      onAbort(this);
    };
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Bytes of its input. */
  get size(): number {
    return this.input.byteLength;
  }

  resolve(output: Uint8Array): void {
    if (this.#settle()) this.#resolve(output);
  }

  reject(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
