import type { Registry } from 'prom-client';
import {
  computed,
  counter,
  type CounterSeries,
  gauge,
  type GaugeSeries,
  histogram,
  type HistogramSeries,
  type SeriesLabels,
  type Series,
} from './series.js';

/** Returns the series for values of the labels, in their order. */
interface Family<S> {
  (...values: readonly string[]): S;
  drop(...values: readonly string[]): void;
}

interface GaugeValue {
  readonly labels: SeriesLabels;
  readonly value: number;
}

/** Creates the metrics of components, each family once, also if a component starts several times. */
export interface ComponentMeter {
  counter(name: string, help: string, labels: readonly string[]): Family<CounterSeries>;
  histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Family<HistogramSeries>;
  /** Returns a gauge that is incremented and decremented. */
  updown(name: string, help: string, labels: readonly string[]): Family<GaugeSeries>;
  /** Registers a gauge that is computed when it is read, by the function of the last call. */
  gauge(name: string, help: string, values: () => readonly GaugeValue[]): void;
}

/** A node of the tree of series, which has a level per label. */
interface Branch<S> {
  readonly next: Map<string, Branch<S>>;
  series?: S;
}

const branch = <S>(): Branch<S> => ({ next: new Map() });

function byValues<S>(series: Series<S>, names: readonly string[]): Family<S> {
  const root = branch<S>();
  const labelsOf = (values: readonly string[]): SeriesLabels =>
    Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
  // hot: one look-up per value.
  const find = (values: readonly string[]): Branch<S> => {
    let at = root;
    for (const value of values) {
      let next = at.next.get(value);
      if (!next) at.next.set(value, (next = branch()));
      at = next;
    }
    return at;
  };
  return Object.assign(
    (...values: readonly string[]): S => {
      const at = find(values);
      return (at.series ??= series(labelsOf(values)));
    },
    {
      drop(...values: readonly string[]) {
        delete find(values).series;
        series.drop(labelsOf(values));
      },
    },
  );
}

/** Returns the meter of a registry: its families are registered with their first use. */
export function meter(registry: Registry): ComponentMeter {
  const counters = new Map<string, Family<CounterSeries>>();
  const histograms = new Map<string, Family<HistogramSeries>>();
  const levels = new Map<string, Family<GaugeSeries>>();
  const gauges = new Map<string, () => readonly GaugeValue[]>();
  return {
    counter(name, help, labels) {
      let family = counters.get(name);
      if (!family) counters.set(name, (family = byValues(counter(registry, name, help), labels)));
      return family;
    },
    updown(name, help, labels) {
      let family = levels.get(name);
      if (!family) levels.set(name, (family = byValues(gauge(registry, name, help), labels)));
      return family;
    },
    histogram(name, help, labels, bounds) {
      let family = histograms.get(name);
      if (!family) histograms.set(name, (family = byValues(histogram(registry, name, help, bounds), labels)));
      return family;
    },
    gauge(name, help, values) {
      if (!gauges.has(name)) computed(registry, name, help, () => [...(gauges.get(name)?.() ?? [])]);
      gauges.set(name, values);
    },
  };
}
