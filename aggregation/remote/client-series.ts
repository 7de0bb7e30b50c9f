import type { Counter, Meter, Histogram } from '../../client/runtime/meter.js';

/**
 * Observes the requests to a host. The inner function is called at the start of a request, and returns one for the code of its answer, undefined if
 * there was none.
 */
export type ObserveClient = (host: string) => (method: string) => (code: number | undefined) => void;

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Returns the metrics of HTTP requests to other servers. as component-base/metrics/prometheus/restclient */
export function clientSeries(meter: Meter): ObserveClient {
  const total = meter.counter(
    'rest_client_requests_total',
    '[ALPHA] Requests over HTTP to other servers, by code, method and host.',
    ['code', 'method', 'host'],
  );
  const took = meter.histogram(
    'rest_client_request_duration_seconds',
    '[ALPHA] Seconds until other servers answer, by verb and host.',
    ['verb', 'host'],
    seconds,
  );
  return host => {
    const known = new Map<string, { duration: Histogram; codes: Map<number | undefined, Counter> }>();
    // hot: costs two look-ups.
    return method => {
      const began = performance.now();
      return code => {
        let series = known.get(method);
        if (!series) known.set(method, (series = { duration: took(method, host), codes: new Map() }));
        let count = series.codes.get(code);
        if (!count)
          series.codes.set(code, (count = total(code === undefined ? '<error>' : String(code), method, host)));
        series.duration.observe((performance.now() - began) / 1000);
        count.inc();
      };
    };
  };
}
