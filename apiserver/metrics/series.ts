/**
 * Series that cost an addition. prom-client looks up the labels of a series at each count, which a profile of small requests shows; here a
 * series is looked up once, by whoever counts, and given to prom-client's registry when it is asked for its text.
 */
import type { Metric, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

export interface CounterSeries {
  inc(by?: number): void;
}

export interface GaugeSeries extends CounterSeries {
  dec(): void;
  set(value: number): void;
}

export interface HistogramSeries {
  observe(value: number): void;
}

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How several processes become one. */
  readonly aggregator?: 'sum' | 'average' | 'max';
  values(): Value[];
}

/** What prom-client asks of a metric; its type says more than it uses. */
function register(registry: Registry, { name, help, type, values, aggregator = 'sum' }: Family): void {
  const metric = { name, get: () => Promise.resolve({ name, help, type, values: values(), aggregator }) };
  registry.registerMetric(metric as unknown as Metric);
}

class Number64 implements GaugeSeries {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
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

/** A gauge (or, of `type`, a counter) that is worked out when it is asked for. */
export function computed(
  registry: Registry,
  name: string,
  help: string,
  values: () => { readonly labels: Labels; readonly value: number }[],
  aggregator?: Family['aggregator'],
  type: 'counter' | 'gauge' = 'gauge',
): void {
  register(registry, { name, help, type, values, ...(aggregator && { aggregator }) });
}

/** One series per combination of labels, whoever asks for it: two would be two lines of one name, which no reader adds up. */
function oncePerLabels<S>(make: (labels: Labels) => S): (labels: Labels) => S {
  const known = new Map<string, S>();
  return labels => {
    const key = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
    let series = known.get(key);
    if (!series) known.set(key, (series = make(labels)));
    return series;
  };
}

/** The series of a combination of labels: for those who keep it, finding it costs more than counting. */
export function counter(registry: Registry, name: string, help: string): (labels: Labels) => CounterSeries {
  return gaugeOf(registry, name, help, 'counter');
}

export function gauge(registry: Registry, name: string, help: string): (labels: Labels) => GaugeSeries {
  return gaugeOf(registry, name, help, 'gauge');
}

function gaugeOf(registry: Registry, name: string, help: string, type: 'counter' | 'gauge') {
  const all: Number64[] = [];
  register(registry, { name, help, type, values: () => all });
  return oncePerLabels((labels): Number64 => {
    const series = new Number64(labels);
    all.push(series);
    return series;
  });
}

class Buckets implements HistogramSeries {
  readonly labels: Labels;
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > (this.#bounds[i] ?? 0)) i++;
    this.#counts[i] = (this.#counts[i] ?? 0) + 1;
    this.#sum += value;
  }

  values(name: string): Value[] {
    const values: Value[] = [];
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

export function histogram(
  registry: Registry,
  name: string,
  help: string,
  bounds: readonly number[],
): (labels: Labels) => HistogramSeries {
  const all: Buckets[] = [];
  register(registry, { name, help, type: 'histogram', values: () => all.flatMap(series => series.values(name)) });
  return oncePerLabels(labels => {
    const series = new Buckets(labels, bounds);
    all.push(series);
    return series;
  });
}
