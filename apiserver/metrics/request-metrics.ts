/** The metrics of requests, under kube-apiserver's names and labels. */
import type { Registry } from 'prom-client';
import { counter, type CounterSeries, gauge, histogram, type HistogramSeries } from './series.js';

/** The labels of a route, as upstream writes them: WATCH, LIST, APPLY for the verb; resource, namespace, cluster for the scope. */
export interface RouteLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
}

/** Counts the requests of one route. Its series are made when they are first counted. */
export interface RequestMetrics {
  done(code: number, seconds: number, bytes: number, dryRun: boolean): void;
  /** Of requests without a deadline, instead of `done`: returns what to call at their end. */
  longRunning(): (code: number) => void;
  watchEvent(bytes: number): void;
}

export interface ServerMetrics {
  route(labels: RouteLabels): RequestMetrics;
}

const durations = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizes = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];

/** as apiserver/pkg/endpoints/metrics/metrics.go */
export function serverMetrics(registry: Registry): ServerMetrics {
  const total = counter(
    registry,
    'apiserver_request_total',
    'Requests by verb, dry run, group, version, resource, scope, component and HTTP response code.',
  );
  const duration = histogram(
    registry,
    'apiserver_request_duration_seconds',
    'Seconds until the answer, by verb, dry run, group, version, resource, subresource, scope and component.',
    durations,
  );
  const responseSizes = histogram(
    registry,
    'apiserver_response_sizes',
    'Bytes of answers, by group, version, verb, resource, subresource, scope and component.',
    sizes,
  );
  const longRunning = gauge(
    registry,
    'apiserver_longrunning_requests',
    'Requests without a deadline that are being served, by verb, group, version, resource, scope and component.',
  );
  const watchEvents = counter(registry, 'apiserver_watch_events_total', 'Events sent to watch clients.');
  const watchSizes = histogram(registry, 'apiserver_watch_events_sizes', 'Bytes of watch events.', eventSizes);

  const route = (labels: RouteLabels): RequestMetrics => {
    const base = { ...labels, component: 'apiserver' };
    const { group, version, resource } = labels;
    const sized = labels.verb === 'GET' || labels.verb === 'LIST';
    const counters = new Map<string, CounterSeries>();
    let seconds: HistogramSeries | undefined;
    let drySeconds: HistogramSeries | undefined;
    let size: HistogramSeries | undefined;
    let running: ReturnType<typeof longRunning> | undefined;
    let events: CounterSeries | undefined;
    let eventSize: HistogramSeries | undefined;

    const count = (code: number, dryRun: string): void => {
      const key = dryRun + code;
      let series = counters.get(key);
      if (!series) counters.set(key, (series = total({ ...base, dry_run: dryRun, code: String(code) })));
      series.inc();
    };
    return {
      done: (code, took, bytes, dryRun) => {
        count(code, dryRun ? 'All' : '');
        if (dryRun) (drySeconds ??= duration({ ...base, dry_run: 'All' })).observe(took);
        else (seconds ??= duration({ ...base, dry_run: '' })).observe(took);
        if (sized) (size ??= responseSizes(base)).observe(bytes);
      },
      longRunning: () => {
        const series = (running ??= longRunning(base));
        series.inc();
        return code => {
          series.dec();
          count(code, '');
        };
      },
      watchEvent: bytes => {
        (events ??= watchEvents({ group, version, resource })).inc();
        (eventSize ??= watchSizes({ group, version, resource })).observe(bytes);
      },
    };
  };
  return { route };
}
