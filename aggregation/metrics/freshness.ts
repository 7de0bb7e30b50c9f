import { exponential, type Histogram, type Meter } from '../../client/runtime/meter.js';
import { resourceMetrics } from '../../api/kubernetes/metrics.js';

const bounds = exponential(1, 1.364, 20);

/** Observes the time of a value that is served. */
export type ObserveFreshness = (group: string, timestamp: string) => void;

/** Returns the metrics of the age of served values. as metrics-server pkg/api monitoring, sigs.k8s.io/custom-metrics-apiserver pkg/apiserver/metrics */
export function freshnessSeries(meter: Meter, now: () => number): ObserveFreshness {
  const ofResources = meter.histogram(
    'metrics_server_api_metric_freshness_seconds',
    '[ALPHA] Freshness of metrics exported',
    [],
    bounds,
  )();
  const ofOthers = meter.histogram(
    'metrics_apiserver_metric_freshness_seconds',
    '[ALPHA] Freshness of metrics exported',
    ['group'],
    bounds,
  );
  return (group, timestamp) => {
    const measured = Date.parse(timestamp);
    const series: Histogram = group === resourceMetrics.group ? ofResources : ofOthers(group);
    if (!Number.isNaN(measured)) series.observe(Math.max(0, now() - measured) / 1000);
  };
}
