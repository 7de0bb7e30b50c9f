/** Holds at most one writer that waits until its client has caught up. */
export class DrainSlot {
  #waiting: (() => void) | undefined;

  /** Resolves with the next `wake`. Calls `onTimeout` after `timeoutMs`; the promise stays pending until `wake` is called. */
  wait(timeoutMs: number, onTimeout: () => void): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(onTimeout, timeoutMs);
      timer.unref();
      this.#waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}
