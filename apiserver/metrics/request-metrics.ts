/** Metrics of requests, with kube-apiserver's names and labels. */
import type { Registry } from 'prom-client';
import type { RequestInfo } from '../interface.js';
import { counter, type CounterSeries, gauge, histogram, type HistogramSeries, type SeriesLabels } from './series.js';

/** The labels of a route, as upstream writes them: WATCH, LIST, APPLY for the verb; resource, namespace, cluster for the scope. */
interface RouteLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
}

/** The properties of a request that are counted. */
interface CountedRequest {
  readonly dryRun: boolean;
  /** The name of a component of Kubernetes; '' for other clients. */
  readonly systemClient: string;
  /** Milliseconds for which it waited for webhooks, or in a queue. */
  readonly waitedMs: number;
}

/** Counts the requests of one route. A series is created when it is first counted. */
export interface RequestMetrics {
  done(code: number, seconds: number, bytes: number, request: CountedRequest): void;
  /** Counts the start of a request without a deadline. Returns a function to be called at its end, instead of `done`. */
  longRunning(): (code: number, seconds: number, request: CountedRequest) => void;
  /** Counts a watch event that was sent `times` times. */
  watchEvent(bytes: number, times?: number): void;
}

export interface ServerMetrics {
  /** Returns the metrics of a route. `removedIn`: the release that removes a deprecated version ('' when it is not known). */
  readonly route: (labels: RouteLabels, removedIn?: string) => RequestMetrics;
  /** Counts a request that was rejected before it was routed, because there were too many. */
  dropped(info: RequestInfo, request: CountedRequest): void;
  /** Counts a failed TLS handshake. */
  handshakeFailed(): void;
  /** Counts a request that the server terminated: there were too many, or it exceeded its deadline. */
  terminated(info: RequestInfo, code: number): void;
}

const durations = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliDurations = durations.slice(2);
const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizes = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const component = 'apiserver';

const verbLabels: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  deletecollection: 'DELETE',
  proxy: 'CONNECT',
};
const connects = new Set(['log', 'exec', 'portforward', 'attach', 'proxy']);

/** as apiserver/pkg/endpoints/metrics CleanScope, CleanVerb */
export function labelsOf(info: RequestInfo): RouteLabels {
  const { group, version, resource, subresource, verb, namespace, name } = info;
  const named = name !== '' || info.parts.length > 1 || verb === 'create';
  const scope = named ? 'resource' : namespace === '' ? 'cluster' : 'namespace';
  const verbLabel = connects.has(subresource) ? 'CONNECT' : (verbLabels[verb] ?? verb.toUpperCase());
  return { verb: verbLabel, group, version, resource, subresource, scope };
}

/** as apiserver/pkg/endpoints/metrics RecordRequestTermination. A path that is no resource is the label `subresource`. */
function terminationLabels(info: RequestInfo, code: number): SeriesLabels {
  const nothing = { verb: info.verb.toUpperCase(), group: '', version: '', resource: '', scope: '' };
  const labels = info.isResource ? { ...labelsOf(info) } : { ...nothing, subresource: info.path };
  return { ...labels, component, code: String(code) };
}

// as apiserver/pkg/endpoints/metrics/metrics.go
function familiesOf(registry: Registry) {
  return {
    total: counter(
      registry,
      'apiserver_request_total',
      '[STABLE] Requests by verb, dry run, group, version, resource, scope, component and HTTP response code.',
    ),
    duration: histogram(
      registry,
      'apiserver_request_duration_seconds',
      '[STABLE] Seconds until the answer, by verb, dry run, group, version, resource, subresource, scope and component.',
      durations,
    ),
    sliDuration: histogram(
      registry,
      'apiserver_request_sli_duration_seconds',
      '[ALPHA] Seconds until the answer without those spent with webhooks and in queues, by verb, group, version, resource, subresource, scope and component.',
      sliDurations,
    ),
    responseSizes: histogram(
      registry,
      'apiserver_response_sizes',
      '[STABLE] Bytes of answers, by group, version, verb, resource, subresource, scope and component.',
      sizes,
    ),
    longRunning: gauge(
      registry,
      'apiserver_longrunning_requests',
      '[STABLE] Requests without a deadline that are being served, by verb, group, version, resource, scope and component.',
    ),
    terminations: counter(
      registry,
      'apiserver_request_terminations_total',
      '[ALPHA] Requests that the server ended in self-defense.',
    ),
    deprecated: gauge(
      registry,
      'apiserver_requested_deprecated_apis',
      '[STABLE] Deprecated APIs that have been asked for, by group, version, resource, subresource and the release without them.',
    ),
    handshakes: counter(
      registry,
      'apiserver_tls_handshake_errors_total',
      '[ALPHA] Connections that came to nothing: the TLS handshake failed.',
    )({}),
    watchEvents: counter(registry, 'apiserver_watch_events_total', '[ALPHA] Events sent to watch clients.'),
    watchSizes: histogram(registry, 'apiserver_watch_events_sizes', '[ALPHA] Bytes of watch events.', eventSizes),
  };
}

type Families = ReturnType<typeof familiesOf>;

/** Returns the metrics of a route. A series is created when it is first counted. */
function routeMetrics(families: Families, labels: RouteLabels, removedIn: string | undefined): RequestMetrics {
  const { total, duration, sliDuration, responseSizes, longRunning, deprecated, watchEvents, watchSizes } = families;
  const base = { ...labels, component };
  const { group, version, resource, subresource } = labels;
  const sized = labels.verb === 'GET' || labels.verb === 'LIST';
  const counters = new Map<string | number, CounterSeries>();
  let seconds: HistogramSeries | undefined;
  let sliSeconds: HistogramSeries | undefined;
  let drySeconds: HistogramSeries | undefined;
  let size: HistogramSeries | undefined;
  let running: ReturnType<typeof longRunning> | undefined;
  let events: CounterSeries | undefined;
  let eventSize: HistogramSeries | undefined;
  let isReported = removedIn === undefined;

  const reportDeprecated = (): void => {
    isReported = true;
    deprecated({ group, version, resource, subresource, removed_release: removedIn ?? '' }).set(1);
  };
  // hot: called once per request.
  const count = (code: number, took: number, { dryRun, systemClient, waitedMs }: CountedRequest): void => {
    // A series stands under its code alone for most requests: a number is found without making a text.
    const key = dryRun || systemClient !== '' ? `${dryRun ? 'd' : ''}${code}${systemClient}` : code;
    let series = counters.get(key);
    if (!series) {
      const more = { dry_run: dryRun ? 'All' : '', code: String(code), system_client: systemClient };
      counters.set(key, (series = total({ ...base, ...more })));
    }
    series.inc();
    if (dryRun) (drySeconds ??= duration({ ...base, dry_run: 'All' })).observe(took);
    else {
      (seconds ??= duration({ ...base, dry_run: '' })).observe(took);
      (sliSeconds ??= sliDuration(base)).observe(took - waitedMs / 1000);
    }
    if (!isReported) reportDeprecated();
  };
  return {
    done: (code, took, bytes, request) => {
      count(code, took, request);
      if (sized) (size ??= responseSizes(base)).observe(bytes);
    },
    longRunning: () => {
      const series = (running ??= longRunning(base));
      series.inc();
      return (code, took, request) => {
        series.dec();
        count(code, took, request);
      };
    },
    watchEvent: (bytes, times) => {
      (events ??= watchEvents({ group, version, resource })).inc(times);
      (eventSize ??= watchSizes({ group, version, resource })).observe(bytes, times);
    },
  };
}

/** Registers the metrics of requests. hot: the series of a route are looked up once, and not for each request. as apiserver/pkg/endpoints/metrics */
export function serverMetrics(registry: Registry): ServerMetrics {
  const families = familiesOf(registry);
  const { total, handshakes, terminations } = families;
  return {
    route: (labels, removedIn) => routeMetrics(families, labels, removedIn),
    dropped(info, { dryRun, systemClient }) {
      const labels = info.isResource
        ? labelsOf(info)
        : { ...labelsOf(info), group: '', version: '', resource: '', scope: '' };
      const more = { dry_run: dryRun ? 'All' : '', code: '429', system_client: systemClient };
      total({ ...labels, component, ...more }).inc();
    },
    handshakeFailed: () => handshakes.inc(),
    terminated: (info, code) => terminations(terminationLabels(info, code)).inc(),
  };
}
