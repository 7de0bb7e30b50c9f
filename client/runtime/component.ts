import type { Logger } from '../../lib/logging/interface.js';
import type { Client } from '../interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import { systemClock } from '../../lib/clock.js';
import { type ControllerTuning, createControllerContext } from './context.js';
import type { ControllerContext, ObserveQueue } from './interface.js';
import type { Meter } from './meter.js';

/** What a running API server offers to the components on top of it. */
interface Host {
  clientFor(identity: Identity, fieldManager: string): Client;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Metrics of the controllers' queues. */
  readonly observeQueue?: ObserveQueue;
  /** Metrics of the components. */
  readonly meter?: Meter;
}

type ComponentContext = ControllerContext & { finished(): Promise<void> };

/** Creates the context that the controllers of a component share: user, informers, events. `finished` resolves when all have stopped. */
export function componentContext(host: Host, component: string, tuning?: ControllerTuning): ComponentContext {
  const { log, signal, observeQueue, meter } = host;
  const identity = { name: `system:${component}`, groups: ['system:masters', 'system:authenticated'] };
  return createControllerContext({
    client: host.clientFor(identity, component),
    clock: systemClock,
    log,
    signal,
    ...(observeQueue && { observeQueue }),
    ...(meter && { meter }),
    ...(tuning && { tuning }),
  });
}
