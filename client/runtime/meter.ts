/** What is counted, and what counts it: whoever runs a component gives it a meter, and families of one name are one family. */
export interface Counter {
  inc(by?: number): void;
}

export interface Gauge extends Counter {
  set(value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** The series of these values, in the order of the labels. hot: a look-up per value; no text is built. */
export interface Family<S> {
  (...values: readonly string[]): S;
  /** Nothing is told of it any more. */
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
  /** Worked out when it is asked for, by the last one who said how. */
  gauge(name: string, help: string, values: () => readonly GaugeValue[]): void;
}

const unread = { inc: () => undefined, set: () => undefined, observe: () => undefined };
const nothing = Object.assign(() => unread, { drop: () => undefined });

/** Where nobody reads. */
export const noMeter: Meter = {
  counter: () => nothing,
  updown: () => nothing,
  histogram: () => nothing,
  gauge: () => undefined,
};

/** `ExponentialBuckets` of Prometheus' client for Go. */
export const exponential = (start: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)));

export type Result = 'success' | 'error';

/** Does the work, and tells how it ended and how many seconds it took. */
export async function observed<T>(work: () => Promise<T>, told: (result: Result, seconds: number) => void): Promise<T> {
  const began = performance.now();
  const tell = (result: Result): void => told(result, (performance.now() - began) / 1000);
  try {
    const value = await work();
    tell('success');
    return value;
  } catch (error) {
    tell('error');
    throw error;
  }
}
