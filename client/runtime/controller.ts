import { ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { Troubles } from '../../lib/logging/trouble.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import type { ControllerOptions, ObserveQueue } from './interface.js';
import type { ObserveReconciler } from './reconcile-series.js';
import type { Clock } from '../../lib/clock.js';
import { createQueue, type Queue } from './queue.js';

interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  readonly observeReconciler?: ObserveReconciler;
}

/** A reconciler throws this when the world is not ready for it. It is tried again like a failure, and told only when it goes on for long. */
export class NotYet extends ExpectedError {}

/** What a reconciler waits for is told elsewhere, once for all who wait for it: a cluster that is silent. Never told here. */
export class ToldElsewhere extends NotYet {}

/** Milliseconds for which a key may wait before it is told. A cluster that is silent is told before that. */
const patienceMs = 60_000;

/** Waits for its informers, then keeps its workers busy with the queue until the signal aborts. Resolves when the last worker is done. */
export async function runController(options: ControllerOptions, deps: ControllerDeps): Promise<void> {
  const { name, reconcile, workers = 8 } = options;
  const { signal, log } = deps;
  const { observeQueue, observeReconciler } = deps;
  const troubles = new Troubles({
    log,
    now: () => deps.clock.now(),
    fails: 'an object cannot be reconciled; it is tried again',
    works: 'an object can be reconciled again',
  });
  const describe = options.describe ?? ((object: string) => ({ object }));
  const series = observeReconciler?.(name, workers);
  const observe = observeQueue && ((depth: () => number) => observeQueue(name, depth));
  const queue: Queue = createQueue(undefined, () => deps.clock.now(), observe);
  signal.addEventListener('abort', () => queue.close(), { once: true });
  if (signal.aborted) return;
  options.wire(queue);
  await Promise.all(options.synced ?? []);

  async function work(): Promise<void> {
    for (;;) {
      const key = await queue.take();
      if (key === undefined) return;
      const end = series?.begin();
      try {
        const result = await reconcile(key, signal);
        end?.(result ? 'requeue_after' : 'success');
        queue.forget(key);
        troubles.worked(key);
        if (result) queue.addAfter(key, result.againAfter);
      } catch (error) {
        end?.('error');
        if (!signal.aborted) {
          log.debug({ controller: name, object: key, err: error }, 'a reconciliation failed');
          const graceMs = error instanceof NotYet ? patienceMs : undefined;
          if (!(error instanceof ToldElsewhere))
            troubles.failed(key, error, { controller: name, ...describe(key) }, graceMs);
          queue.addRateLimited(key);
        }
      } finally {
        queue.done(key);
      }
      await yieldToEventLoop();
    }
  }

  await Promise.all(Array.from({ length: workers }, work));
}
