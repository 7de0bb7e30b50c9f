/** How many seats a priority level could have used, over time. */
export interface DemandOf {
  readonly most: number;
  readonly average: number;
  readonly deviation: number;
}

/** hot: `set` at each change of the demand, with the time of the change in milliseconds. */
export class Demand {
  #value = 0;
  #since: number;
  #from: number;
  #area = 0;
  #squares = 0;
  #most = 0;

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
    if (value > this.#most) this.#most = value;
  }

  /** Since the last call. */
  take(now: number): DemandOf {
    this.set(this.#value, now);
    const time = now - this.#from;
    const average = time > 0 ? this.#area / time : 0;
    const variance = time > 0 ? this.#squares / time - average * average : 0;
    const taken = { most: this.#most, average, deviation: Math.sqrt(Math.max(0, variance)) };
    this.#from = now;
    this.#area = 0;
    this.#squares = 0;
    this.#most = this.#value;
    return taken;
  }
}
