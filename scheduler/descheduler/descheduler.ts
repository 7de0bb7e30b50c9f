import type { Clock } from '../../lib/clock.js';
import { eachInTurns } from '../../lib/time-slice.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import type { Binding } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import type { Client } from '../../client/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import type { ControllerContext, EventRecorder, Informer, Key } from '../../client/runtime/interface.js';
import { referenced } from '../../kinds/karmada/referenced.js';
import type { AccurateEstimator } from '../interface.js';
import { isDeschedulable, reduced, reductions, reductionText, type ShortCluster, shortClusters } from './reduction.js';

export interface DeschedulerOptions {
  readonly estimator: Pick<AccurateEstimator, 'unschedulableReplicas'>;
  /** Value of `--descheduling-interval` in milliseconds. */
  readonly intervalMs: number;
  /** Value of `--unschedulable-threshold` in milliseconds. */
  readonly thresholdMs: number;
}

/** The index of the bindings whose replicas may be moved, so that a pass does not look at all others. */
const deschedulable = 'deschedulable';
const indexers = { [deschedulable]: (binding: Binding): string[] => (isDeschedulable(binding) ? [deschedulable] : []) };

/** Takes replicas back from clusters that cannot run them. The scheduler places them elsewhere. */
class Descheduler {
  readonly bindings: Informer<Binding>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #recorder: EventRecorder;
  readonly #options: DeschedulerOptions;

  constructor({ client, clock, informers, recorder, signal }: ControllerContext, options: DeschedulerOptions) {
    this.bindings = informers.informer<Binding>(resources.resourceBindings, { indexers });
    this.#client = client;
    this.#clock = clock;
    this.#signal = signal;
    this.#recorder = recorder('karmada-descheduler');
    this.#options = options;
  }

  /** Adds all bindings to the queue: at once, and after each interval. Resolves when the signal aborts. */
  async addRepeatedly(add: (key: Key) => void): Promise<void> {
    await this.bindings.synced;
    while (!this.#signal.aborted) {
      await eachInTurns([...this.bindings.keysByIndex(deschedulable, deschedulable)], add);
      await this.#clock.sleep(this.#options.intervalMs, this.#signal);
    }
  }

  async reconcile(key: Key, signal: AbortSignal): Promise<void> {
    const binding = this.bindings.get(key);
    if (!binding || binding.metadata.deletionTimestamp || !isDeschedulable(binding)) return;
    const short = shortClusters(binding);
    if (short.length === 0) return;
    const taken = reductions(short, await this.#unschedulable(binding, short, signal));
    if (taken.length === 0) return;
    const spec = { ...binding.spec, clusters: reduced(binding.spec.clusters ?? [], taken) };
    try {
      // The version that was evaluated is written, so that a conflict causes a new reconcile.
      await this.#client.update(resources.resourceBindings, { ...binding, spec });
    } catch (error) {
      if (!isLostRace(error)) this.#report(binding, 'Warning', 'DescheduleBindingFailed', errorText(error));
      throw error;
    }
    this.#report(binding, 'Normal', 'DescheduleBindingSucceed', reductionText(taken));
  }

  /** Asks for all clusters at the same time. A cluster of which nothing is known is absent. */
  async #unschedulable(
    { spec }: Binding,
    clusters: readonly ShortCluster[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number>> {
    const { estimator, thresholdMs } = this.#options;
    const answers = await Promise.all(
      clusters.map(
        async ({ name }) =>
          [name, await estimator.unschedulableReplicas(name, spec.resource, thresholdMs, signal)] as const,
      ),
    );
    return new Map(answers.flatMap(([name, count]) => (count === undefined ? [] : [[name, count] as const])));
  }

  #report(binding: Binding, type: 'Normal' | 'Warning', reason: string, message: string): void {
    for (const about of [binding, referenced(binding.spec.resource)])
      this.#recorder.event(about, type, reason, message);
  }
}

/** Resolves when the descheduler has stopped. as pkg/descheduler Descheduler */
export function runDescheduler(context: ControllerContext, options: DeschedulerOptions): Promise<void> {
  const descheduler = new Descheduler(context, options);
  let passes = Promise.resolve();
  context.run({
    name: 'descheduler',
    synced: [descheduler.bindings.synced],
    wire: queue => {
      passes = descheduler.addRepeatedly(key => queue.add(key));
    },
    reconcile: (key, signal) => descheduler.reconcile(key, signal),
  });
  return passes;
}
