import { number } from '../print.js';
import { percentile, type Sample } from '../sample.js';

export type StorageKind = 'embedded' | 'etcd';

export type Metric = 'rate' | 'p50' | 'p99' | 'cores' | 'each' | 'rss';

export interface Goal {
  readonly metric: Metric;
  readonly value: number | Readonly<Record<StorageKind, number>>;
}

interface Measure {
  readonly of: (sample: Sample) => number | undefined;
  readonly better: 'more' | 'less';
  readonly show: (value: string) => string;
}

export const measures: Readonly<Record<Metric, Measure>> = {
  rate: { of: ({ count, seconds }) => count / seconds, better: 'more', show: value => `${value}/s` },
  p50: { of: ({ latencies }) => percentile(latencies, 0.5), better: 'less', show: value => `p50 ${value} ms` },
  p99: { of: ({ latencies }) => percentile(latencies, 0.99), better: 'less', show: value => `p99 ${value} ms` },
  cores: {
    of: ({ cpuSeconds, seconds }) => cpuSeconds && cpuSeconds / seconds,
    better: 'less',
    show: v => `${v} cores`,
  },
  each: {
    of: ({ cpuSeconds, count }) => cpuSeconds && (cpuSeconds / count) * 1e6,
    better: 'less',
    show: v => `${v} us`,
  },
  rss: { of: ({ rssBytes }) => rssBytes && rssBytes / 2 ** 20, better: 'less', show: value => `${value} MiB` },
};

/** A sample beside its goals, formatted. */
interface Comparison {
  readonly wanted: string;
  readonly measured: string;
  /** Absent without a goal, or if it could not be measured. */
  readonly met?: boolean;
}

/** Formats a number; integers are not rounded. */
const whole = (value: number): string => (Number.isInteger(value) ? String(value) : number(value));

/** Compares a sample with its goals. */
export function compareWithGoals(sample: Sample, goals: readonly Goal[], storage: StorageKind): Comparison {
  const found = goals.map(({ metric, value }) => {
    const { of, better, show } = measures[metric];
    const limit = typeof value === 'number' ? value : value[storage];
    const is = of(sample);
    const met = is === undefined || Number.isNaN(is) ? undefined : better === 'more' ? is >= limit : is <= limit;
    return { wanted: show(whole(limit)), measured: met === undefined ? '-' : show(number(is)), met };
  });
  const comparison = {
    wanted: found.map(one => one.wanted).join(', '),
    measured: found.map(one => one.measured).join(', '),
  };
  if (found.length === 0 || found.some(({ met }) => met === undefined)) return comparison;
  return { ...comparison, met: found.every(({ met }) => met) };
}
