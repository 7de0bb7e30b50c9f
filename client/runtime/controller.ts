import { ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { Troubles } from '../../lib/logging/trouble.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import type { ControllerOptions, ObserveQueue } from './interface.js';
import type { ObserveReconciler } from './reconcile-series.js';
import type { Clock } from '../../lib/clock.js';
import { KeyQueue } from './queue.js';
import { defaultRateLimits } from './rate-limiter.js';

interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  readonly observeReconciler?: ObserveReconciler;
}

/** Thrown by a reconciler whose preconditions are not met yet. It is retried like a failure, but logged only if it persists. */
export class NotYet extends ExpectedError {}

/** A NotYet whose cause, such as an unreachable cluster, is reported elsewhere once for all keys. It is never logged here. */
export class ReportedElsewhere extends NotYet {
  readonly isReportedElsewhere = true;
}

/** Milliseconds for which a key may fail with NotYet before it is logged. An unreachable cluster is reported before. */
const notYetGraceMs = 60_000;

/** Waits for the informers, then runs the workers until the signal aborts. Resolves when the last worker has stopped. */
export async function runController(options: ControllerOptions, deps: ControllerDeps): Promise<void> {
  const { name, reconcile, workers = 8, maxRetryMs } = options;
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
  const limits = maxRetryMs === undefined ? defaultRateLimits : { ...defaultRateLimits, maxDelayMs: maxRetryMs };
  const queue = new KeyQueue(limits, () => deps.clock.now(), observe);
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
          const graceMs = error instanceof NotYet ? notYetGraceMs : undefined;
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
