/** Adds up the metrics of all processes of one server, so that each of them can report all. */
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client';
import { register } from '../../apiserver/metrics/series.js';
import { mergedSummary, type MetricJson } from '../../apiserver/metrics/summary.js';
import { shareNext } from '../../storage/share-next.js';
import type { ProcessMetrics, ToWorker } from './messages.js';

/** Milliseconds after which a worker that does not answer is left out. */
const timeoutMs = 3000;

export interface Gatherer {
  /** Returns the sum as text. */
  gather(): Promise<string>;
  /** Processes the answer of a worker to the request with this id. */
  received(id: number, metrics: ProcessMetrics): void;
}

/** Adds up numbers, or combines them as their metric requires; summaries are merged separately, since quantiles cannot be added. */
function merged(all: readonly ProcessMetrics[]): Registry<RegistryContentType> {
  const isSummary = ({ type }: { readonly type: unknown }): boolean => type === 'summary';
  const registry = AggregatorRegistry.aggregate(all.map(metrics => metrics.filter(metric => !isSummary(metric))));
  const summaries = new Map<string, MetricJson[]>();
  for (const metric of all.flatMap(metrics => metrics.filter(isSummary) as MetricJson[])) {
    const known = summaries.get(metric.name);
    if (known) known.push(metric);
    else summaries.set(metric.name, [metric]);
  }
  for (const [name, parts] of summaries)
    register(registry, { name, help: parts[0]?.help ?? '', type: 'summary', values: () => mergedSummary(parts) });
  return registry;
}

/** Creates a gatherer. `own`: the registry of this process. */
export function gatherer(own: Registry, workers: () => Iterable<Worker>): Gatherer {
  const waiting = new Map<number, (metrics: ProcessMetrics) => void>();
  let last = 0;

  const request = (worker: Worker): Promise<ProcessMetrics> =>
    new Promise(resolve => {
      const id = ++last;
      const end = (metrics: ProcessMetrics): void => {
        clearTimeout(timer);
        worker.off('exit', gone);
        waiting.delete(id);
        resolve(metrics);
      };
      const gone = (): void => end([]);
      const timer = setTimeout(gone, timeoutMs);
      worker.on('exit', gone);
      waiting.set(id, end);
      const message: ToWorker = { type: 'requestMetrics', id };
      worker.send(message);
    });

  return {
    gather: shareNext(async () => {
      const answers = [...workers()].filter(worker => worker.isConnected()).map(request);
      const all = await Promise.all([own.getMetricsAsJSON(), ...answers]);
      return merged(all).metrics();
    }),
    received: (id, metrics) => waiting.get(id)?.(metrics),
  };
}
