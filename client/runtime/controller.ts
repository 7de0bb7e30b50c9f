import { ExpectedError } from '../../lib/logging/cause.js';
import type { Logger } from '../../lib/logging/interface.js';
import { FailureStates } from '../../lib/logging/failure-state.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import type { ControllerOptions, Key, ObserveQueue } from './interface.js';
import type { ObserveReconciler } from './reconcile-series.js';
import type { Clock } from '../../lib/clock.js';
import { KeyQueue } from './queue.js';
import { defaultRateLimits, type RateLimits } from './rate-limiter.js';
import { retryAfterMs } from './retry-after.js';

interface ControllerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly observeQueue?: ObserveQueue;
  readonly observeReconciler?: ObserveReconciler;
  readonly rateLimits?: RateLimits;
  /** Resolves when the listeners so far have been called for what exists: what they keep is complete when the workers start. */
  readonly replayed?: () => Promise<void>;
  /** The objects of first lists follow those that change meanwhile. Absent: in order of arrival. */
  readonly defersFirstLists?: boolean;
}

/** Thrown by a reconciler whose preconditions are not met yet. It is retried like a failure, but logged only if it persists. */
export class NotYet extends ExpectedError {
  /** Minimum milliseconds until the next try. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** A NotYet whose cause, such as an unreachable cluster, is reported elsewhere once for all keys. It is never logged here. */
export class ReportedElsewhere extends NotYet {
  readonly isReportedElsewhere = true;
}

/** Maximum milliseconds after which a key with NotSynced is reconciled again in any case. */
const unsyncedMs = 30_000;

/** Thrown by a reconciler that needs what arrives later, such as the first list of a mirror. The key is reconciled again when it is there. */
export class NotSynced extends NotYet {
  readonly synced: Promise<void>;
  /** Other things that the key needs. It is reconciled again when the first of all is there. */
  readonly others: readonly Promise<void>[];
  /** Milliseconds after which the key is reconciled again in any case. */
  readonly timeoutMs: number;

  constructor(message: string, synced: Promise<void>, timeoutMs = unsyncedMs, others: readonly Promise<void>[] = []) {
    super(message);
    this.synced = synced;
    this.others = others;
    this.timeoutMs = Math.min(timeoutMs, unsyncedMs);
  }
}

/**
 * Thrown by a reconciler when the whole group of its key cannot be served, such as all Works of an unreachable member. The group works again when
 * `WorkQueue.answered` is called for it.
 */
export class GroupFailure extends ExpectedError {
  /** Another part logs the failure. */
  readonly isReportedElsewhere: boolean;
  /** Milliseconds for which the group must not be tried. */
  readonly retryAfterMs: number;

  constructor(message: string, options: { readonly isReportedElsewhere: boolean; readonly retryAfterMs?: number }) {
    super(message);
    this.isReportedElsewhere = options.isReportedElsewhere;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** Milliseconds for which a key may fail with NotYet before it is logged. An unreachable cluster is reported before. */
const notYetGraceMs = 60_000;

/** The number of workers of a controller that does not set it. */
const defaultWorkers = 8;

/** Milliseconds after which a reconciliation that waits for a remote server counts as slow. */
const slowMs = 500;

/** Milliseconds by which the timer of `slowMs` may be late. A later one shows that this process was busy, not that the server is slow. */
const maxLateMs = 50;

/**
 * Waits for the informers and their listeners, then runs the workers until the signal aborts. Resolves when the last worker has stopped. `onQueue` is
 * called at once with the queue.
 */
export async function runController(
  options: ControllerOptions,
  deps: ControllerDeps,
  onQueue?: (queue: KeyQueue) => void,
): Promise<void> {
  const { signal } = deps;
  const controller = new Controller(options, deps);
  onQueue?.(controller.queue);
  signal.addEventListener('abort', () => controller.queue.close(), { once: true });
  if (signal.aborted) return;
  if (deps.defersFirstLists) controller.queue.beginStart();
  options.wire(controller.queue);
  await Promise.all(options.synced ?? []);
  await deps.replayed?.();
  controller.queue.endStart();
  await controller.run();
}

/** The queue of a controller and its workers. */
class Controller {
  readonly queue: KeyQueue;
  readonly #options: ControllerOptions;
  readonly #deps: ControllerDeps;
  readonly #failureStates: FailureStates;
  readonly #series: ReturnType<ObserveReconciler> | undefined;
  /** What the keys with NotSynced wait for. */
  readonly #awaited = new Map<Key, readonly Promise<void>[]>();
  /** The keys that wait for something. A key is woken by many changes while it waits, so that it is not a listener of its own. */
  readonly #waiting = new WeakMap<Promise<void>, Set<Key>>();
  readonly #workers: number;
  #running = 0;
  /** The number of workers in whose place others run, since their keys take long. */
  #replaced = 0;
  #finish = (): void => undefined;
  #fail = (_: unknown): void => undefined;

  constructor(options: ControllerOptions, deps: ControllerDeps) {
    const { name, workers = defaultWorkers, maxRetryMs, groups } = options;
    const { log, clock, observeQueue, observeReconciler, rateLimits = defaultRateLimits } = deps;
    this.#options = options;
    this.#deps = deps;
    this.#workers = workers;
    this.#failureStates = new FailureStates({
      log,
      now: () => clock.now(),
      fails: 'an object cannot be reconciled; it is tried again',
      works: 'an object can be reconciled again',
    });
    this.#series = observeReconciler?.(name, workers);
    const observe = observeQueue && ((depth: () => number) => observeQueue(name, depth));
    const limits = maxRetryMs === undefined ? rateLimits : { ...rateLimits, maxDelayMs: maxRetryMs };
    this.queue = new KeyQueue(limits, () => clock.now(), observe, groups);
  }

  /** Resolves when the queue is closed and all workers have stopped. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
      for (let i = 0; i < this.#workers; i++) this.#startWorker(this.#work());
    });
  }

  #startWorker(work: Promise<void>): void {
    this.#running++;
    const end = (): void => {
      if (--this.#running === 0) this.#finish();
    };
    work.then(end, this.#fail);
  }

  /** Starts another worker in place of one whose key takes long. Returns false if there are too many of them already. */
  #replace(): boolean {
    if (this.#replaced >= this.queue.maxSlowKeys) return false;
    this.#replaced++;
    this.#startWorker(this.#workLater());
    return true;
  }

  /** Works from a later turn of the event loop on, if this one has no time left. */
  async #workLater(): Promise<void> {
    await yieldToEventLoop();
    await this.#work();
  }

  async #work(): Promise<void> {
    for (;;) {
      const key = await this.queue.take();
      if (key === undefined) return;
      const isReplaced = this.#options.groups?.waitsForRemote
        ? await this.#reconcileRemotely(key)
        : await this.#reconcile(key);
      if (isReplaced) return;
      await yieldToEventLoop();
    }
  }

  /**
   * Reconciles a key that waits for a remote server, and starts another worker in place of this one when it takes long, or at once if its group
   * is slow: what waits for a slow group are workers of its own, whose number the group limits. Resolves with true if this worker was replaced.
   */
  async #reconcileRemotely(key: Key): Promise<boolean> {
    const { queue } = this;
    const wasSlow = queue.isSlow(key);
    let isReplaced = wasSlow && this.#replace();
    let isSlow = false;
    let lateBefore = performance.now() + slowMs + maxLateMs;
    const timer = setTimeout(() => {
      const isFirstLate = performance.now() > lateBefore;
      lateBefore = Infinity;
      if (isFirstLate) return void timer.refresh();
      isSlow = true;
      queue.setSlow(key, true);
      isReplaced ||= this.#replace();
      if (!isReplaced) timer.refresh();
    }, slowMs);
    await this.#reconcile(key);
    clearTimeout(timer);
    if (wasSlow && !isSlow) queue.setSlow(key, false);
    if (isReplaced) this.#replaced--;
    return isReplaced;
  }

  /** Resolves with false: this worker takes the next key. */
  async #reconcile(key: Key): Promise<false> {
    const { queue } = this;
    const { signal } = this.#deps;
    const end = this.#series?.begin();
    try {
      const result = await this.#options.reconcile(key, signal);
      end?.(result ? 'requeue_after' : 'success');
      if (this.#awaited.size > 0) this.#awaited.delete(key);
      if (!result?.isPartial) {
        queue.forget(key);
        this.#failureStates.worked(key);
      }
      if (result?.againAfter !== undefined) queue.addAfter(key, result.againAfter);
    } catch (error) {
      end?.('error');
      if (!signal.aborted) this.#failed(key, error);
    } finally {
      queue.done(key);
    }
    return false;
  }

  #failed(key: Key, error: unknown): void {
    const { queue } = this;
    const { name, describe, maxRetryMs } = this.#options;
    this.#deps.log.debug({ controller: name, object: key, err: error }, 'a reconciliation failed');
    const graceMs = error instanceof NotYet ? notYetGraceMs : undefined;
    this.#failureStates.failed(key, error, { controller: name, ...(describe?.(key) ?? { object: key }) }, graceMs);
    // What is awaited is no failure of the key, and takes none of the retries of its group.
    if (error instanceof NotSynced) return this.#addWhenSynced(key, error);
    if (error instanceof GroupFailure) queue.failGroup(key, error.retryAfterMs);
    const minMs = error instanceof NotYet ? error.retryAfterMs : retryAfterMs(error);
    queue.addRateLimited(key, Math.min(minMs, maxRetryMs ?? minMs));
  }

  #addWhenSynced(key: Key, { synced, others, timeoutMs }: NotSynced): void {
    this.queue.addAfter(key, timeoutMs);
    const awaited = [synced, ...others];
    this.#awaited.set(key, awaited);
    for (const each of awaited) {
      const waiting = this.#waiting.get(each);
      if (waiting) waiting.add(key);
      else this.#wakeAfter(each, new Set([key]));
    }
  }

  #wakeAfter(synced: Promise<void>, keys: Set<Key>): void {
    this.#waiting.set(synced, keys);
    void synced.then(() => {
      this.#waiting.delete(synced);
      // These may be the Works of a whole member.
      return eachInTurns(keys, key => {
        if (this.#awaited.get(key)?.includes(synced) !== true) return;
        this.#awaited.delete(key);
        this.queue.addNow(key);
      });
    });
  }
}
