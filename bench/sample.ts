import type { Target } from './target.js';

/** Measurements of one kind of operation. */
export interface Sample {
  readonly name: string;
  readonly count: number;
  /** Sum of all rounds. */
  readonly seconds: number;
  /** The default is one. */
  readonly rounds?: number;
  /** Latencies in milliseconds, one per operation or delivery. */
  readonly latencies: readonly number[] | Float64Array;
  /** CPU time of the server during the measurement. */
  readonly cpuSeconds?: number;
  /** CPU time of the etcd behind it. */
  readonly storeCpuSeconds?: number;
  /** CPU time of the members in a process of their own. */
  readonly memberCpuSeconds?: number;
  /** Memory of that process at the end. */
  readonly memberRssBytes?: number;
  /** CPU time of a create of a ConfigMap by the same server shortly before, as a unit that does not depend on the machine. */
  readonly createCpuSeconds?: number;
  /** CPU time of the client process. */
  readonly clientCpuSeconds?: number;
  /** Memory of the server at the end. */
  readonly rssBytes?: number;
}

/** Returns the smallest value that at least this part of the values does not exceed. NaN without values. */
export function percentile(values: readonly number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** Merges the samples of several rounds. Throws without samples. */
export function merge(samples: readonly Sample[]): Sample {
  const [first] = samples;
  if (!first) throw new Error('no samples');
  const sum = (of: (sample: Sample) => number): number => samples.reduce((all, sample) => all + of(sample), 0);
  return {
    name: first.name,
    count: sum(({ count }) => count),
    seconds: sum(({ seconds }) => seconds),
    rounds: samples.length,
    latencies: samples.flatMap(({ latencies }) => [...latencies]),
    ...(first.cpuSeconds !== undefined && { cpuSeconds: sum(({ cpuSeconds = 0 }) => cpuSeconds) }),
    ...(first.storeCpuSeconds !== undefined && { storeCpuSeconds: sum(({ storeCpuSeconds = 0 }) => storeCpuSeconds) }),
    ...(first.memberCpuSeconds !== undefined && {
      memberCpuSeconds: sum(({ memberCpuSeconds = 0 }) => memberCpuSeconds),
    }),
    ...(first.createCpuSeconds !== undefined && {
      createCpuSeconds: sum(({ createCpuSeconds = 0 }) => createCpuSeconds) / samples.length,
    }),
    ...(first.clientCpuSeconds !== undefined && {
      clientCpuSeconds: sum(({ clientCpuSeconds = 0 }) => clientCpuSeconds),
    }),
    ...(first.memberRssBytes !== undefined && {
      memberRssBytes: Math.max(...samples.map(({ memberRssBytes = 0 }) => memberRssBytes)),
    }),
    ...(first.rssBytes !== undefined && { rssBytes: Math.max(...samples.map(({ rssBytes = 0 }) => rssBytes)) }),
  };
}

/** Measures `work`, which resolves with latencies. */
export async function measure(target: Target, name: string, work: () => Promise<readonly number[]>): Promise<Sample> {
  const before = target.usage();
  const membersBefore = target.memberUsage?.();
  const began = performance.now();
  const latencies = await work();
  const seconds = (performance.now() - began) / 1000;
  const after = target.usage();
  const membersAfter = target.memberUsage?.();
  return {
    name,
    count: latencies.length,
    seconds,
    latencies,
    ...(before && after && { cpuSeconds: after.cpuSeconds - before.cpuSeconds, rssBytes: after.rssBytes }),
    ...(membersBefore &&
      membersAfter && {
        memberCpuSeconds: membersAfter.cpuSeconds - membersBefore.cpuSeconds,
        memberRssBytes: membersAfter.rssBytes,
      }),
  };
}
