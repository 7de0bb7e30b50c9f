/**
 * Series whose increments cost one addition. prom-client looks up the labels of a series at each increment, which is visible in profiles of small
 * requests. Here callers look up a series once and keep it; prom-client's registry gets the values when it writes its text.
 */
import type { Registry } from 'prom-client';
import type { Maybe } from '../../lib/maybe.js';

export type SeriesLabels = Readonly<Record<string, string>>;

export interface CounterSeries {
  inc(by?: number): void;
}

export interface GaugeSeries extends CounterSeries {
  dec(): void;
  set(value: number): void;
}

export interface HistogramSeries {
  observe(value: number, times?: number): void;
}

export interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** How values of several worker processes become one. */
  readonly aggregator?: 'sum' | 'average' | 'max';
  readonly values: () => Maybe<MetricValue[]>;
  /** Yields the values of `values` series by series, for a family whose values together take long to compute. */
  readonly bySeries?: () => Iterable<readonly MetricValue[]>;
}

/** A family in a registry of prom-client. */
export interface RegisteredFamily extends Pick<Family, 'name' | 'help' | 'type' | 'bySeries'> {
  get(): Promise<object>;
}

/** prom-client's registry uses only the name of a metric and `get`, while its type requires one of the package's classes. */
interface MetricRegistry {
  registerMetric(metric: { readonly name?: string; get(): Promise<object> }): void;
}

/** Registers a metric whose values are computed when they are read. */
export function register(registry: MetricRegistry, family: Family): void {
  const { name, help, type, values, aggregator = 'sum' } = family;
  const registered: RegisteredFamily = {
    ...{ name, help, type },
    get: async () => ({ name, help, type, values: await values(), aggregator }),
    ...(family.bySeries && { bySeries: family.bySeries }),
  };
  registry.registerMetric(registered);
}

class Number64 implements GaugeSeries {
  readonly labels: SeriesLabels;
  value = 0;

  constructor(labels: SeriesLabels) {
    this.labels = labels;
  }

  inc(by = 1): void {
    this.value += by;
  }

  dec(): void {
    this.value--;
  }

  set(value: number): void {
    this.value = value;
  }
}

export interface ComputedOptions {
  /** How values of several worker processes become one; the default is their sum. */
  readonly aggregator?: Family['aggregator'];
  /** The default is a gauge. */
  readonly type?: 'counter' | 'gauge';
}

/** Registers a gauge or a counter that is computed when it is read. */
export function computed(
  registry: Registry,
  name: string,
  help: string,
  values: () => Maybe<MetricValue[]>,
  { aggregator, type = 'gauge' }: ComputedOptions = {},
): void {
  register(registry, { name, help, type, values, ...(aggregator && { aggregator }) });
}

/** Returns the series of a combination of labels. The look-up costs more than an increment, so callers keep the series. */
export interface Series<S> {
  (labels: SeriesLabels): S;
  /** Removes the series: later increments of it are not exported. */
  drop(labels: SeriesLabels): void;
}

/** Creates one series per combination of labels: two would be two lines with the same labels, which is invalid. */
export function oncePerLabels<S>(make: (labels: SeriesLabels) => S): {
  readonly all: ReadonlyMap<string, S>;
  readonly of: Series<S>;
} {
  const all = new Map<string, S>();
  const keyOf = (labels: SeriesLabels): string =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  const find = (labels: SeriesLabels): S => {
    const key = keyOf(labels);
    let series = all.get(key);
    if (!series) all.set(key, (series = make(labels)));
    return series;
  };
  return { all, of: Object.assign(find, { drop: (labels: SeriesLabels) => void all.delete(keyOf(labels)) }) };
}

/** Registers a counter. Returns its series by their labels. */
export function counter(registry: Registry, name: string, help: string): Series<CounterSeries> {
  return gaugeOf(registry, name, help, 'counter');
}

/** Registers a gauge. Returns its series by their labels. */
export function gauge(registry: Registry, name: string, help: string): Series<GaugeSeries> {
  return gaugeOf(registry, name, help, 'gauge');
}

function gaugeOf(registry: Registry, name: string, help: string, type: 'counter' | 'gauge'): Series<GaugeSeries> {
  const { all, of } = oncePerLabels((labels): Number64 => new Number64(labels));
  register(registry, { name, help, type, values: () => [...all.values()] });
  return of;
}

class Buckets implements HistogramSeries {
  readonly labels: SeriesLabels;
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: SeriesLabels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number, times = 1): void {
    let i = 0;
    while (i < this.#bounds.length && value > (this.#bounds[i] ?? 0)) i++;
    this.#counts[i] = (this.#counts[i] ?? 0) + times;
    this.#sum += value * times;
  }

  values(name: string): MetricValue[] {
    const values: MetricValue[] = [];
    let count = 0;
    for (const [i, le] of [...this.#bounds, '+Inf'].entries()) {
      count += this.#counts[i] ?? 0;
      values.push({ metricName: `${name}_bucket`, labels: { ...this.labels, le }, value: count });
    }
    values.push({ metricName: `${name}_sum`, labels: this.labels, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: this.labels, value: count });
    return values;
  }
}

/** Registers a histogram with the upper bounds of its buckets, ascending. Returns its series by their labels. */
export function histogram(
  registry: Registry,
  name: string,
  help: string,
  bounds: readonly number[],
): Series<HistogramSeries> {
  const { all, of } = oncePerLabels((labels): Buckets => new Buckets(labels, bounds));
  const values = (): MetricValue[] => [...all.values()].flatMap(series => series.values(name));
  function* bySeries(): Generator<readonly MetricValue[], void> {
    for (const series of [...all.values()]) yield series.values(name);
  }
  register(registry, { name, help, type: 'histogram', values, bySeries });
  return of;
}
