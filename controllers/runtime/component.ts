import type { Client, Identity } from '../../registry/interface.js';
import { systemClock } from '../../storage/clock.js';
import { createControllerContext } from './context.js';
import type { ControllerContext, Logger, ObserveQueue } from './interface.js';

/** What a running API gives to what runs on top of it. */
export interface Host {
  clientFor(identity: Identity, fieldManager: string): Client;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Counts what happens in the queues of controllers. */
  readonly observeQueue?: ObserveQueue;
}

export type ComponentContext = ControllerContext & { finished(): Promise<void> };

/** The controllers of one component share its user, its mirrors, its events. `finished` resolves when the last worker has stopped. */
export function componentContext({ clientFor, log, signal, observeQueue }: Host, component: string): ComponentContext {
  const identity = { name: `system:${component}`, groups: ['system:masters', 'system:authenticated'] };
  return createControllerContext({
    client: clientFor(identity, component),
    clock: systemClock,
    log,
    signal,
    ...(observeQueue && { observeQueue }),
  });
}
