/** Quantiles of what was observed lately, in bounded memory. as client_golang/prometheus Summary, with the objectives of component-base */
import type { Registry } from 'prom-client';
import { oncePerLabels, register, type HistogramSeries, type Labels, type Series, type Value } from './series.js';

const quantiles = [0.5, 0.9, 0.99] as const;

/** A value is told from one that is this much larger. */
const step = Math.log(1.02);
/** The least value that is told from 0, in seconds. */
const least = 1e-6;
const most = 1e4;
const buckets = Math.ceil(Math.log(most / least) / step) + 2;

const bucketOf = (value: number): number =>
  value <= least ? 0 : Math.min(Math.ceil(Math.log(value / least) / step), buckets - 1);
/** The middle of a bucket. */
const valueOf = (bucket: number): number => (bucket === 0 ? 0 : least * Math.exp((bucket - 0.5) * step));

/** What was observed is forgotten part by part. */
const parts = 5;

interface Part {
  readonly began: number;
  readonly counts: Uint32Array;
  total: number;
}

class Recent implements HistogramSeries {
  readonly labels: Labels;
  readonly #partMs: number;
  readonly #now: () => number;
  #parts: Part[] = [];
  #sum = 0;
  #count = 0;

  constructor(labels: Labels, maxAgeMs: number, now: () => number) {
    this.labels = labels;
    this.#partMs = maxAgeMs / parts;
    this.#now = now;
  }

  /** hot: a logarithm, and additions. */
  observe(value: number): void {
    const now = this.#now();
    let part = this.#parts.at(-1);
    if (part === undefined || now - part.began >= this.#partMs) {
      this.#parts = [...this.#young(now), (part = { began: now, counts: new Uint32Array(buckets), total: 0 })];
    }
    const bucket = bucketOf(value);
    part.counts[bucket] = (part.counts[bucket] ?? 0) + 1;
    part.total++;
    this.#sum += value;
    this.#count++;
  }

  #young(now: number): Part[] {
    return this.#parts.filter(({ began }) => now - began < this.#partMs * parts);
  }

  values(name: string): Value[] {
    const young = this.#young(this.#now());
    const total = young.reduce((sum, part) => sum + part.total, 0);
    const countAt = (bucket: number): number => young.reduce((sum, { counts }) => sum + (counts[bucket] ?? 0), 0);
    const values: Value[] = [];
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

export interface SummaryOptions {
  /** How long what was observed counts for the quantiles. */
  readonly maxAgeMs: number;
  readonly now?: () => number;
}

export function summary(
  registry: Registry,
  name: string,
  help: string,
  { maxAgeMs, now = () => performance.now() }: SummaryOptions,
): Series<HistogramSeries> {
  const { all, of } = oncePerLabels((labels): Recent => new Recent(labels, maxAgeMs, now));
  const values = (): Value[] => [...all.values()].flatMap(series => series.values(name));
  register(registry, { name, help, type: 'summary', values });
  return of;
}

/** A metric as prom-client tells it. */
export interface Told {
  readonly name: string;
  readonly help: string;
  readonly type: unknown;
  readonly values: readonly Value[];
}

/** Summaries of one name from several processes: the worst quantiles that one of them has, and sums. */
export function mergedSummary(all: readonly Told[]): Value[] {
  const merged = new Map<string, { labels: Value['labels']; metricName?: string; value: number }>();
  for (const { labels, metricName, value: told } of all.flatMap(({ values }) => values)) {
    const value = (told as number | null) ?? Number.NaN; // between processes NaN is null
    const key = JSON.stringify([metricName, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const known = merged.get(key);
    if (!known) merged.set(key, { labels, value, ...(metricName !== undefined && { metricName }) });
    else if (!('quantile' in labels)) known.value += value;
    else if (Number.isNaN(known.value) || value > known.value) known.value = value;
  }
  return [...merged.values()];
}
