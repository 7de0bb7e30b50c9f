import type { Logger } from '../../lib/logging/interface.js';
import type { Client } from '../interface.js';
import { runController } from './controller.js';
import { EventRecorders } from './events.js';
import { createInformerFactory } from './informer.js';
import type { ControllerContext, ObserveQueue } from './interface.js';
import { type Meter, noMeter } from './meter.js';
import { reconcileSeries } from './reconcile-series.js';
import type { Clock } from '../../lib/clock.js';

interface ContextDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  /** Absent for no metrics. */
  readonly meter?: Meter;
}

/** Creates the context that controllers share: informers and an event writer. `finished` resolves when every controller has stopped. */
export function createControllerContext(deps: ContextDeps): ControllerContext & { finished(): Promise<void> } {
  const running: Promise<void>[] = [];
  const { meter = noMeter } = deps;
  const observeReconciler = reconcileSeries(meter);
  const recorders = new EventRecorders(deps);
  return {
    client: deps.client,
    clock: deps.clock,
    log: deps.log,
    signal: deps.signal,
    meter,
    informers: createInformerFactory(deps),
    recorder: component => recorders.recorder(component),
    run(controller) {
      running.push(runController(controller, { ...deps, observeReconciler }));
    },
    finished: () => Promise.all(running).then(() => undefined),
  };
}
