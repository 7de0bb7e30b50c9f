/** The metrics of requests, under kube-apiserver's names and labels. */
import type { Registry } from 'prom-client';
import type { RequestInfo } from '../interface.js';
import { counter, type CounterSeries, gauge, histogram, type HistogramSeries, type Labels } from './series.js';

/** The labels of a route, as upstream writes them: WATCH, LIST, APPLY for the verb; resource, namespace, cluster for the scope. */
export interface RouteLabels {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'resource' | 'namespace' | 'cluster';
}

/** What of a request itself is counted. */
export interface Counted {
  readonly dryRun: boolean;
  /** '' for all but Kubernetes' own components. */
  readonly systemClient: string;
  /** Milliseconds in which it waited for webhooks, or for its turn. */
  readonly elsewhere: number;
}

/** Counts the requests of one route. Its series are made when they are first counted. */
export interface RequestMetrics {
  done(code: number, seconds: number, bytes: number, request: Counted): void;
  /** Of requests without a deadline, instead of `done`: returns what to call at their end. */
  longRunning(): (code: number, seconds: number, request: Counted) => void;
  /** One that was sent so many times. */
  watchEvent(bytes: number, times?: number): void;
}

export interface ServerMetrics {
  /** `removedIn`: of a version that is deprecated, the release that has it no more ('': none is named). */
  route(labels: RouteLabels, removedIn?: string): RequestMetrics;
  /** Turned away before it was routed, because there are too many. */
  dropped(info: RequestInfo, request: Counted): void;
  /** Somebody came, and could not agree with the server on how to speak. */
  handshakeFailed(): void;
  /** Ended by the server, not by its answer: too many, or too late. */
  terminated(info: RequestInfo, code: number): void;
}

const durations = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const sliDurations = durations.slice(2);
const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const eventSizes = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
const component = 'apiserver';

const ofVerbs: Readonly<Record<string, string>> = {
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
  const shown = connects.has(subresource) ? 'CONNECT' : (ofVerbs[verb] ?? verb.toUpperCase());
  return { verb: shown, group, version, resource, subresource, scope };
}

/** as apiserver/pkg/endpoints/metrics RecordRequestTermination: of what is no resource the path */
function terminationLabels(info: RequestInfo, code: number): Labels {
  const nothing = { verb: info.verb.toUpperCase(), group: '', version: '', resource: '', scope: '' };
  const labels = info.isResource ? { ...labelsOf(info) } : { ...nothing, subresource: info.path };
  return { ...labels, component, code: String(code) };
}

/** The families of requests. */
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

/** Its series are made when they are first counted. */
function routeMetrics(families: Families, labels: RouteLabels, removedIn: string | undefined): RequestMetrics {
  const { total, duration, sliDuration, responseSizes, longRunning, deprecated, watchEvents, watchSizes } = families;
  const base = { ...labels, component };
  const { group, version, resource, subresource } = labels;
  const sized = labels.verb === 'GET' || labels.verb === 'LIST';
  const counters = new Map<string, CounterSeries>();
  let seconds: HistogramSeries | undefined;
  let sliSeconds: HistogramSeries | undefined;
  let drySeconds: HistogramSeries | undefined;
  let size: HistogramSeries | undefined;
  let running: ReturnType<typeof longRunning> | undefined;
  let events: CounterSeries | undefined;
  let eventSize: HistogramSeries | undefined;
  let isTold = removedIn === undefined;

  const tellDeprecated = (): void => {
    isTold = true;
    deprecated({ group, version, resource, subresource, removed_release: removedIn ?? '' }).set(1);
  };
  // hot: once per request.
  const count = (code: number, took: number, { dryRun, systemClient, elsewhere }: Counted): void => {
    const key = `${dryRun ? 'd' : ''}${code}${systemClient}`;
    let series = counters.get(key);
    if (!series) {
      const more = { dry_run: dryRun ? 'All' : '', code: String(code), system_client: systemClient };
      counters.set(key, (series = total({ ...base, ...more })));
    }
    series.inc();
    if (dryRun) (drySeconds ??= duration({ ...base, dry_run: 'All' })).observe(took);
    else {
      (seconds ??= duration({ ...base, dry_run: '' })).observe(took);
      (sliSeconds ??= sliDuration(base)).observe(took - elsewhere / 1000);
    }
    if (!isTold) tellDeprecated();
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
