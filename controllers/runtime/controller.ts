import { breathe } from '../../registry/client/breathe.js';
import type { ControllerOptions, Logger, ObserveQueue } from './interface.js';
import { isLostRace } from './lost-race.js';
import type { ObserveReconciler } from './reconcile-series.js';
import type { Clock } from '../../storage/clock.js';
import { createQueue, type Queue } from './queue.js';

interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  readonly observeReconciler?: ObserveReconciler;
}

/** What a reconciler throws when the world is not ready for it: tried again like a failure, and no reason to alarm anybody. */
export class NotYet extends Error {}

/** A conflict or an absence is how optimistic writes meet; the next try reads the new state. Not worth a line at error level. */
const expected = (error: unknown): boolean => error instanceof NotYet || isLostRace(error);

/** Waits for its informers, then keeps its workers busy with the queue until the signal aborts. Resolves when the last worker is done. */
export async function runController(options: ControllerOptions, deps: ControllerDeps): Promise<void> {
  const { name, reconcile, workers = 8 } = options;
  const { signal, log } = deps;
  const { observeQueue, observeReconciler } = deps;
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
        if (result) queue.addAfter(key, result.againAfter);
      } catch (error) {
        end?.('error');
        if (!signal.aborted) {
          const level = expected(error) ? 'debug' : 'warn';
          log[level]({ controller: name, key, err: error }, 'reconcile failed, will retry');
          queue.addRateLimited(key);
        }
      } finally {
        queue.done(key);
      }
      await breathe();
    }
  }

  await Promise.all(Array.from({ length: workers }, work));
}
