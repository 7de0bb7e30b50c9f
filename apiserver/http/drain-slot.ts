/** One slot: whoever waits for a client to catch up. */
export class DrainSlot {
  #waiting: (() => void) | undefined;

  /** Resolves when woken. After so many milliseconds the client is given up. */
  wait(patience: number, giveUp: () => void): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(giveUp, patience);
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
