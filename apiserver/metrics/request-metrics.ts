/** The metrics of requests, under kube-apiserver's names and labels. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The labels of a route, as upstream writes them: WATCH, LIST, APPLY for the verb; resource, namespace, cluster for the scope. */
export interface RouteLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
}

/** Counts the requests of one route. Its series are looked up once, not per request. */
export interface RequestMetrics {
  done(code: number, seconds: number, bytes: number, dryRun: boolean): void;
  /** Of requests without a deadline, instead of `done`: returns what to call at their end. */
  longRunning(): (code: number) => void;
  watchEvent(bytes: number): void;
}

export interface ServerMetrics {
  route(labels: RouteLabels): RequestMetrics;
  /** A request that was cut off by us (timeout, too many). */
  terminated(labels: RouteLabels, code: number): void;
}

const durations = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizes = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const routeNames = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;

/** as apiserver/pkg/endpoints/metrics/metrics.go */
export function serverMetrics(registry: Registry): ServerMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, dry run, group, version, resource, scope, component and HTTP response code.',
    labelNames: [...routeNames, 'dry_run', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Seconds until the answer, by verb, dry run, group, version, resource, subresource, scope and component.',
    labelNames: [...routeNames, 'dry_run'],
    buckets: durations,
    registers,
  });
  const responseSizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: 'Bytes of answers, by group, version, verb, resource, subresource, scope and component.',
    labelNames: [...routeNames],
    buckets: sizes,
    registers,
  });
  const longRunning = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Requests without a deadline that are being served, by verb, group, version, resource, scope and component.',
    labelNames: [...routeNames],
    registers,
  });
  const terminations = new Counter({
    name: 'apiserver_request_terminations_total',
    help: 'Requests that the apiserver ended in self-defense.',
    labelNames: [...routeNames, 'code'],
    registers,
  });
  const watchEvents = new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watch clients.',
    labelNames: ['group', 'version', 'resource'],
    registers,
  });
  const watchSizes = new Histogram({
    name: 'apiserver_watch_events_sizes',
    help: 'Bytes of watch events.',
    labelNames: ['group', 'version', 'resource'],
    buckets: eventSizes,
    registers,
  });

  const route = (labels: RouteLabels): RequestMetrics => {
    const base = { ...labels, component: 'apiserver' };
    const { group, version, resource } = labels;
    const counters = new Map<string, { inc(): void }>();
    const count = (code: number, dryRun: string): void => {
      const key = dryRun + code;
      let counter = counters.get(key);
      if (!counter) counters.set(key, (counter = total.labels({ ...base, dry_run: dryRun, code: String(code) })));
      counter.inc();
    };
    const seconds = duration.labels({ ...base, dry_run: '' });
    let dry: typeof seconds | undefined;
    const size = responseSizes.labels(base);
    const running = longRunning.labels(base);
    const events = watchEvents.labels({ group, version, resource });
    const eventSize = watchSizes.labels({ group, version, resource });
    return {
      done: (code, took, bytes, dryRun) => {
        count(code, dryRun ? 'All' : '');
        (dryRun ? (dry ??= duration.labels({ ...base, dry_run: 'All' })) : seconds).observe(took);
        if (labels.verb === 'GET' || labels.verb === 'LIST') size.observe(bytes);
      },
      longRunning: () => {
        running.inc();
        return code => {
          running.dec();
          count(code, '');
        };
      },
      watchEvent: bytes => {
        events.inc();
        eventSize.observe(bytes);
      },
    };
  };
  return {
    route,
    terminated: (labels, code) => terminations.inc({ ...labels, component: 'apiserver', code: String(code) }),
  };
}
