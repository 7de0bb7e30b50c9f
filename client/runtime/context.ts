import type { Logger } from '../../lib/logging/interface.js';
import type { Client } from '../interface.js';
import { MirrorBudget } from '../watch/budget.js';
import { runController } from './controller.js';
import { EventRecorders } from './events/events.js';
import { createInformerFactory } from './mirrors/informer.js';
import type { ControllerContext, ObserveQueue } from './interface.js';
import { type Meter, noMeter } from './meter.js';
import type { KeyQueue } from './queue.js';
import type { RateLimits } from './rate-limiter.js';
import { reconcileSeries } from './reconcile-series.js';
import type { Clock } from '../../lib/clock.js';

/** Settings of an administrator for the controllers of a component. */
export interface ControllerTuning {
  /** Numbers of workers by the names of controllers, in place of the numbers that the controllers have. */
  readonly workers?: Readonly<Record<string, number>>;
  /** Limits of retries; those of Karmada if absent. */
  readonly rateLimits?: RateLimits;
  /** The objects of first lists follow those that change meanwhile (gate ControllerPriorityQueue). */
  readonly defersFirstLists?: boolean;
}

interface ContextDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  /** Absent for no metrics. */
  readonly meter?: Meter;
  readonly tuning?: ControllerTuning;
}

/** Bytes of the mirrored objects of other API servers. Those of this server are shared with its watch cache, and do not count. */
const otherServersBytes = 256 * 1024 * 1024;

/** Creates the context that controllers share: informers and an event writer. `finished` resolves when every controller has stopped. */
export function createControllerContext(deps: ContextDeps): ControllerContext & { finished(): Promise<void> } {
  const running: Promise<void>[] = [];
  const queues: { readonly name: string; readonly queue: KeyQueue }[] = [];
  const { meter = noMeter, tuning: { workers = {}, rateLimits, defersFirstLists = false } = {} } = deps;
  const observeReconciler = reconcileSeries(meter);
  const recorders = new EventRecorders(deps);
  const informers = createInformerFactory({ ...deps, budget: new MirrorBudget(otherServersBytes) });
  return {
    client: deps.client,
    clock: deps.clock,
    log: deps.log,
    signal: deps.signal,
    meter,
    informers,
    recorder: component => recorders.recorder(component),
    run(controller) {
      const count = workers[controller.name] ?? controller.workers;
      const tuned = { ...controller, ...(count !== undefined && { workers: count }) };
      const limits = rateLimits && { rateLimits };
      const replayed = (): Promise<void> => informers.replayed();
      const controllerDeps = { ...deps, observeReconciler, replayed, defersFirstLists, ...limits };
      running.push(runController(tuned, controllerDeps, queue => queues.push({ name: controller.name, queue })));
    },
    backlog: controllers =>
      queues.reduce((sum, { name, queue }) => (controllers.has(name) ? sum + queue.backlog : sum), 0),
    finished: () => Promise.all(running).then(() => undefined),
  };
}
