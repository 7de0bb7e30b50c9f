/** One slot for the writer that waits for its client. */
export class DrainSlot {
  #waiting: ((isFree: boolean) => void) | undefined;

  /** Resolves when woken, as `ResponseStream.drained` does. Calls `giveUp` after `timeoutMs`, which has to end in `wake`. */
  wait(timeoutMs: number, giveUp: () => void): Promise<boolean> {
    return new Promise(resolve => {
      const timer = setTimeout(giveUp, timeoutMs);
      timer.unref();
      this.#waiting = isFree => {
        clearTimeout(timer);
        resolve(isFree);
      };
    });
  }

  /** `isFree`: the stream does not refer to any chunk that was written. */
  wake(isFree: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(isFree);
  }
}
