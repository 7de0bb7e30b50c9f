/** Adds up the metrics of all processes of one server, so that each of them can report all. */
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client';
import { register } from '../../apiserver/metrics/series.js';
import { mergedSummary, type MetricJson } from '../../apiserver/metrics/summary.js';
import { shareNext } from '../../storage/share-next.js';
import type { ProcessMetrics, ToWorker } from './messages.js';
import { PendingAnswers } from './pending-answers.js';

/** Milliseconds after which a worker that does not answer is left out. */
const timeoutMs = 3000;

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

/** Asks the workers for their metrics, and adds them to those of this process. */
export class MetricsGatherer {
  readonly #own: Registry;
  readonly #workers: () => Iterable<Worker>;
  readonly #pending = new PendingAnswers<ProcessMetrics>();

  constructor(own: Registry, workers: () => Iterable<Worker>) {
    this.#own = own;
    this.#workers = workers;
  }

  /** Returns the sum as text. Callers that come while it is made share the next one. */
  readonly gather = shareNext(async () => {
    const answers = [...this.#workers()].filter(worker => worker.isConnected()).map(worker => this.#request(worker));
    return merged(await Promise.all([this.#own.getMetricsAsJSON(), ...answers])).metrics();
  });

  /** Processes the answer of a worker to the request with this id. */
  received(id: number, metrics: ProcessMetrics): void {
    this.#pending.settle(id, metrics);
  }

  /** Resolves with nothing if the worker ends or does not answer. */
  async #request(worker: Worker): Promise<ProcessMetrics> {
    const { id, answer } = this.#pending.begin();
    const giveUp = (): void => this.#pending.settle(id, []);
    const timer = setTimeout(giveUp, timeoutMs);
    worker.on('exit', giveUp);
    const message: ToWorker = { type: 'requestMetrics', id };
    worker.send(message);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      worker.off('exit', giveUp);
    }
  }
}
