/** Quantiles of recent observations, in bounded memory. as client_golang/prometheus Summary, with the objectives of component-base */
import type { Registry } from 'prom-client';
import {
  oncePerLabels,
  register,
  type HistogramSeries,
  type SeriesLabels,
  type Series,
  type MetricValue,
} from './series.js';

const quantiles = [0.5, 0.9, 0.99] as const;

/** The width of a bucket on the logarithmic scale: values that differ by 2 % are distinguished. */
const step = Math.log(1.02);
/** The smallest value that is distinguished from 0, and the largest bucket, in seconds. */
const minValue = 1e-6;
const maxValue = 1e4;
const buckets = Math.ceil(Math.log(maxValue / minValue) / step) + 2;

const bucketOf = (value: number): number =>
  value <= minValue ? 0 : Math.min(Math.ceil(Math.log(value / minValue) / step), buckets - 1);
/** Returns the middle of a bucket. */
const valueOf = (bucket: number): number => (bucket === 0 ? 0 : minValue * Math.exp((bucket - 0.5) * step));

/** The number of parts of the period; observations expire part by part. */
const parts = 5;

interface Part {
  readonly began: number;
  readonly counts: Uint32Array;
  total: number;
}

class Recent implements HistogramSeries {
  readonly labels: SeriesLabels;
  readonly #partMs: number;
  readonly #now: () => number;
  #parts: Part[] = [];
  #sum = 0;
  #count = 0;

  constructor(labels: SeriesLabels, maxAgeMs: number, now: () => number) {
    this.labels = labels;
    this.#partMs = maxAgeMs / parts;
    this.#now = now;
  }

  /** hot: costs a logarithm and additions. */
  observe(value: number): void {
    const now = this.#now();
    let part = this.#parts.at(-1);
    if (part === undefined || now - part.began >= this.#partMs) {
      this.#parts = [...this.#recentParts(now), (part = { began: now, counts: new Uint32Array(buckets), total: 0 })];
    }
    const bucket = bucketOf(value);
    part.counts[bucket] = (part.counts[bucket] ?? 0) + 1;
    part.total++;
    this.#sum += value;
    this.#count++;
  }

  #recentParts(now: number): Part[] {
    return this.#parts.filter(({ began }) => now - began < this.#partMs * parts);
  }

  values(name: string): MetricValue[] {
    const recentParts = this.#recentParts(this.#now());
    const total = recentParts.reduce((sum, part) => sum + part.total, 0);
    const countAt = (bucket: number): number => recentParts.reduce((sum, { counts }) => sum + (counts[bucket] ?? 0), 0);
    const values: MetricValue[] = [];
    let bucket = 0;
    let seen = countAt(0);
    for (const quantile of quantiles) {
      while (seen < quantile * total && bucket < buckets - 1) seen += countAt(++bucket);
      values.push({ labels: { ...this.labels, quantile }, value: total === 0 ? Number.NaN : valueOf(bucket) });
    }
    values.push({ metricName: `${name}_sum`, labels: this.labels, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels: this.labels, value: this.#count });
    return values;
  }
}

interface SummaryOptions {
  /** Milliseconds for which an observation counts in the quantiles. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

/** Registers a summary. Quantiles are those of the observations of the last `maxAgeMs` milliseconds. */
export function summary(
  registry: Registry,
  name: string,
  help: string,
  { maxAgeMs, now = () => performance.now() }: SummaryOptions,
): Series<HistogramSeries> {
  const { all, of } = oncePerLabels((labels): Recent => new Recent(labels, maxAgeMs, now));
  const values = (): MetricValue[] => [...all.values()].flatMap(series => series.values(name));
  register(registry, { name, help, type: 'summary', values });
  return of;
}

/** A metric in the form of prom-client's `getMetricsAsJSON`. */
export interface MetricJson {
  readonly name: string;
  readonly help: string;
  readonly type: unknown; // a text, which the types of prom-client call a number
  readonly values: readonly MetricValue[];
}

/** Merges the summaries of one name from several processes: the highest value of each quantile, and the sums. */
export function mergedSummary(all: readonly MetricJson[]): MetricValue[] {
  const merged = new Map<string, { labels: MetricValue['labels']; metricName?: string; value: number }>();
  for (const { labels, metricName, value: received } of all.flatMap(({ values }) => values)) {
    const value = (received as number | null) ?? Number.NaN; // NaN becomes null in messages between processes.
    const key = JSON.stringify([metricName, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const known = merged.get(key);
    if (!known) merged.set(key, { labels, value, ...(metricName !== undefined && { metricName }) });
    else if (!('quantile' in labels)) known.value += value;
    else if (Number.isNaN(known.value) || value > known.value) known.value = value;
  }
  return [...merged.values()];
}
