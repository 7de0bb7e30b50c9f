/** Metrics as components see them. The host of a component passes a meter; families with the same name are one family. */
export interface Counter {
  inc(by?: number): void;
}

export interface Gauge extends Counter {
  set(value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** Returns the series of these label values, in the order of the labels. hot: one lookup per value, without building a string. */
export interface Family<S> {
  (...values: readonly string[]): S;
  /** Removes the series. */
  drop(...values: readonly string[]): void;
}

export interface GaugeValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Meter {
  counter(name: string, help: string, labels: readonly string[]): Family<Counter>;
  histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Family<Histogram>;
  /** A gauge that goes up and down. */
  updown(name: string, help: string, labels: readonly string[]): Family<Gauge>;
  /** Registers a gauge that is computed when it is scraped; the last registration of a name counts. */
  gauge(name: string, help: string, values: () => readonly GaugeValue[]): void;
}

const discarded = { inc: () => undefined, set: () => undefined, observe: () => undefined };
const nothing = Object.assign(() => discarded, { drop: () => undefined });

/** A meter that discards everything. */
export const noMeter: Meter = {
  counter: () => nothing,
  updown: () => nothing,
  histogram: () => nothing,
  gauge: () => undefined,
};

/** Returns histogram bounds. as prometheus/client_golang ExponentialBuckets */
export const exponential = (start: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)));

export type ReconcileOutcome = 'success' | 'error';

/** Runs the work, and calls `observe` with its result and its duration in seconds. Rethrows the error. */
export async function observed<T>(
  work: () => Promise<T>,
  observe: (result: ReconcileOutcome, seconds: number) => void,
): Promise<T> {
  const began = performance.now();
  const end = (result: ReconcileOutcome): void => observe(result, (performance.now() - began) / 1000);
  try {
    const value = await work();
    end('success');
    return value;
  } catch (error) {
    end('error');
    throw error;
  }
}
