/** The number of seats that a priority level could have used, over a period. */
interface SeatDemand {
  readonly max: number;
  readonly average: number;
  readonly deviation: number;
}

/** Collects statistics of the demand. Times are milliseconds. hot: `set` is called at each change of the demand. */
export class DemandStatistics {
  #value = 0;
  #since: number;
  #from: number;
  #area = 0;
  #squares = 0;
  #max = 0;

  constructor(now: number) {
    this.#since = now;
    this.#from = now;
  }

  set(value: number, now: number): void {
    const time = now - this.#since;
    this.#area += this.#value * time;
    this.#squares += this.#value * this.#value * time;
    this.#since = now;
    this.#value = value;
    if (value > this.#max) this.#max = value;
  }

  /** Returns the demand since the last call. */
  take(now: number): SeatDemand {
    this.set(this.#value, now);
    const time = now - this.#from;
    const average = time > 0 ? this.#area / time : 0;
    const variance = time > 0 ? this.#squares / time - average * average : 0;
    const taken = { max: this.#max, average, deviation: Math.sqrt(Math.max(0, variance)) };
    this.#from = now;
    this.#area = 0;
    this.#squares = 0;
    this.#max = this.#value;
    return taken;
  }
}
