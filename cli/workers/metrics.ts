/** Adds up the metrics of all processes of one server, so that each of them can report all. */
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client';
import { register } from '../../apiserver/metrics/series.js';
import { mergedSummary, type MetricJson } from '../../apiserver/metrics/summary.js';
import { shareNext } from '../../storage/share-next.js';
import type { Counted, ToWorker } from './messages.js';

/** Milliseconds after which a worker that does not answer is left out. */
const timeoutMs = 3000;

export interface Gatherer {
  /** Returns the sum as text. */
  gather(): Promise<string>;
  /** Processes the answer of a worker to the question of this number. */
  heard(id: number, counted: Counted): void;
}

/** Adds up numbers, or combines them as their metric requires; summaries are merged separately, since quantiles cannot be added. */
function merged(all: readonly Counted[]): Registry<RegistryContentType> {
  const isSummary = ({ type }: { readonly type: unknown }): boolean => type === 'summary';
  const registry = AggregatorRegistry.aggregate(all.map(metrics => metrics.filter(metric => !isSummary(metric))));
  const summaries = new Map<string, MetricJson[]>();
  for (const metric of all.flatMap(metrics => metrics.filter(isSummary) as unknown as MetricJson[])) {
    const known = summaries.get(metric.name);
    if (known) known.push(metric);
    else summaries.set(metric.name, [metric]);
  }
  for (const [name, told] of summaries)
    register(registry, { name, help: told[0]?.help ?? '', type: 'summary', values: () => mergedSummary(told) });
  return registry;
}

/** Creates a gatherer. `own`: the registry of this process. */
export function gatherer(own: Registry, workers: () => Iterable<Worker>): Gatherer {
  const waiting = new Map<number, (counted: Counted) => void>();
  let last = 0;

  const ask = (worker: Worker): Promise<Counted> =>
    new Promise(resolve => {
      const id = ++last;
      const end = (counted: Counted): void => {
        clearTimeout(timer);
        worker.off('exit', gone);
        waiting.delete(id);
        resolve(counted);
      };
      const gone = (): void => end([]);
      const timer = setTimeout(gone, timeoutMs);
      worker.on('exit', gone);
      waiting.set(id, end);
      const question: ToWorker = { type: 'tellMetrics', id };
      worker.send(question);
    });

  return {
    gather: shareNext(async () => {
      const theirs = [...workers()].filter(worker => worker.isConnected()).map(ask);
      const all = await Promise.all([own.getMetricsAsJSON(), ...theirs]);
      return merged(all).metrics();
    }),
    heard: (id, counted) => waiting.get(id)?.(counted),
  };
}
