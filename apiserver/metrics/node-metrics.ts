/** Metrics of Node.js, with the names of prom-client's own collectors. Those of Go (`go_*`) have no meaning here. */
import {
  constants,
  type IntervalHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';
import process from 'node:process';
import v8 from 'node:v8';
import type { Registry } from 'prom-client';
import { computed, type ComputedOptions, histogram, type HistogramSeries } from './series.js';

/** Milliseconds between two samples of the event loop delay. */
const resolution = 50;

/** The histogram of all servers of the process. */
let delay: IntervalHistogram | undefined;

function eventLoopDelay(): IntervalHistogram {
  if (delay) return delay;
  delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  return delay;
}

/** Returns the delay in seconds: the histogram measures the time between two samples. */
const lag = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000);

type Lag = readonly [name: string, help: string, value: (delay: IntervalHistogram) => number];

const lags: readonly Lag[] = [
  ['min_seconds', 'least', ({ min }) => lag(min)],
  ['max_seconds', 'most', ({ max }) => lag(max)],
  ['mean_seconds', 'mean', ({ mean }) => lag(mean)],
  ['stddev_seconds', 'standard deviation', ({ stddev }) => stddev / 1e9],
  ...[50, 90, 99].map((percent): Lag => [
    `p${percent}_seconds`,
    `percentile ${percent}`,
    delay => lag(delay.percentile(percent)),
  ]),
];

const memory: readonly (readonly [name: string, help: string, value: (usage: NodeJS.MemoryUsage) => number])[] = [
  ['heap_size_total_bytes', 'Bytes of the heap.', ({ heapTotal }) => heapTotal],
  ['heap_size_used_bytes', 'Bytes of the heap that are in use.', ({ heapUsed }) => heapUsed],
  ['external_memory_bytes', 'Bytes outside of the heap that objects keep.', ({ external }) => external],
];

const spaces: readonly (readonly [name: string, help: string, value: (space: v8.HeapSpaceInfo) => number])[] = [
  ['total', 'Bytes of a space of the heap.', ({ space_size }) => space_size],
  ['used', 'Bytes of a space of the heap that are in use.', ({ space_used_size }) => space_used_size],
  ['available', 'Bytes of a space of the heap that are free.', ({ space_available_size }) => space_available_size],
];

const kinds: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Registers the metrics. `collectedMs`: milliseconds of all garbage collections that the engine has reported so far. */
export function nodeMetrics(registry: Registry, signal: AbortSignal): { readonly collectedMs: () => number } {
  const registerGauge = (name: string, help: string, value: () => number, options?: ComputedOptions): void =>
    computed(registry, `nodejs_${name}`, help, () => [{ labels: {}, value: value() }], options);
  const eventLoop = eventLoopDelay();
  for (const [name, help, value] of lags)
    registerGauge(
      `eventloop_lag_${name}`,
      `Seconds by which the event loop is late: ${help}.`,
      () => finite(value(eventLoop)),
      { aggregator: 'max' },
    );
  for (const [name, help, value] of memory) registerGauge(name, help, () => value(process.memoryUsage()));
  for (const [name, help, value] of spaces)
    computed(registry, `nodejs_heap_space_size_${name}_bytes`, help, () =>
      v8.getHeapSpaceStatistics().map(space => ({
        labels: { space: space.space_name.replace(/_space$/, '') },
        value: value(space),
      })),
    );
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.');
  const labels = { version: process.version, major, minor, patch };
  computed(
    registry,
    'nodejs_version_info',
    'Always 1: its labels are the version of Node.',
    () => [{ labels, value: 1 }],
    { aggregator: 'max' },
  );
  return collections(registry, signal);
}

const finite = (value: number): number => (Number.isFinite(value) ? value : 0);

function collections(registry: Registry, signal: AbortSignal): { readonly collectedMs: () => number } {
  let collected = 0;
  const took = histogram(
    registry,
    'nodejs_gc_duration_seconds',
    'Seconds that garbage collection takes, by kind.',
    [0.001, 0.01, 0.1, 1, 2, 5],
  );
  const series = new Map<string, HistogramSeries>();
  const observer = new PerformanceObserver(list => {
    for (const { detail, duration } of list.getEntries() as (PerformanceEntry & { detail?: unknown })[]) {
      const kind = kinds.get((detail as { kind: number }).kind) ?? '';
      let known = series.get(kind);
      if (!known) series.set(kind, (known = took({ kind })));
      known.observe(duration / 1000);
      collected += duration;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  signal.addEventListener('abort', () => observer.disconnect(), { once: true });
  return { collectedMs: () => collected };
}
