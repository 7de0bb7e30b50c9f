/** Metrics of the version and of the resources of the process, with the names that are usual in Prometheus. */
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import type { Registry } from 'prom-client';
import { computed } from './series.js';

/** Registers the metric of the version, whose value is always 1. as component-base/metrics/prometheus/version */
export function buildInfo(registry: Registry, info: Readonly<Record<string, string>>): void {
  const { major = '', minor = '', platform = '' } = info;
  const labels = {
    ...{ major, minor, platform },
    compiler: '', // The server is not built by a Go compiler.
    go_version: '',
    git_version: info['gitVersion'] ?? '',
    git_commit: info['gitCommit'] ?? '',
    git_tree_state: info['gitTreeState'] ?? '',
    build_date: info['buildDate'] ?? '',
  };
  const help = '[BETA] Always 1: its labels are the version of Kubernetes that this server is one of.';
  computed(registry, 'kubernetes_build_info', help, () => [{ labels, value: 1 }], { aggregator: 'max' });
}

/** `version`: the version of Flagship; kubernetes_build_info has that of the API. */
export function productInfo(registry: Registry, version: string, platform: string): void {
  const labels = { version, node_version: process.version, platform };
  const help = '[ALPHA] Always 1: its labels are the version of Flagship, and what it runs on.';
  computed(registry, 'flagship_build_info', help, () => [{ labels, value: 1 }], { aggregator: 'max' });
}

/** Returns the value that is read from /proc; undefined on systems other than Linux. */
function inProc<T>(read: () => T): T | undefined {
  return process.platform === 'linux' ? read() : undefined;
}

const openFiles = (): number | undefined => inProc(() => readdirSync('/proc/self/fd').length);
const virtualBytes = (): number | undefined =>
  inProc(() => Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024);
const maxFiles = (): number | undefined =>
  inProc(() => Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]));

interface Row {
  readonly name: string;
  readonly help: string;
  readonly value: () => number | undefined;
  readonly type?: 'counter';
  /** How values of several worker processes become one; the default is their sum. */
  readonly aggregator?: 'max';
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const started = (): number => (Date.now() - process.uptime() * 1000) / 1000;

const rows: readonly Row[] = [
  {
    name: 'cpu_seconds_total',
    help: 'Seconds of processor time, of user and system.',
    value: cpuSeconds,
    type: 'counter',
  },
  { name: 'resident_memory_bytes', help: 'Bytes of memory that are resident.', value: () => process.memoryUsage.rss() },
  { name: 'virtual_memory_bytes', help: 'Bytes of virtual memory.', value: virtualBytes },
  { name: 'open_fds', help: 'Open files and sockets.', value: openFiles },
  { name: 'max_fds', help: 'The most files and sockets that may be open.', value: maxFiles, aggregator: 'max' },
  { name: 'start_time_seconds', help: 'Start, in seconds since the epoch.', value: started, aggregator: 'max' },
];

/** Registers the metrics, whose values are read when they are needed. */
export function processMetrics(registry: Registry): void {
  for (const { name, help, value, type = 'gauge', aggregator = 'sum' } of rows) {
    const values = (): { labels: Record<string, string>; value: number }[] => {
      const now = value();
      return now === undefined || Number.isNaN(now) ? [] : [{ labels: {}, value: now }];
    };
    computed(registry, `process_${name}`, help, values, { aggregator, type });
  }
}
