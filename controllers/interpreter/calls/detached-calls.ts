import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { NotSynced, NotYet } from '../../../client/runtime/controller.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import { isFailure, KeptOutcomes, type CallOutcome } from './kept-outcomes.js';
import { SlowOwners } from './slow-owners.js';
import type { InterpretedSubject } from './subject.js';
import { WaitingWorkers } from './waiting-workers.js';

/** Milliseconds for which a worker of a controller waits for an outcome. Meanwhile it does nothing else. */
const maxWaitMs = 250;

/** Milliseconds for which a worker waits whose object changes faster than its calls end. */
const maxLongWaitMs = 30_000;

/** Objects and owners that are remembered, and the milliseconds for which they are. */
const remembered = { max: 10_000, ttl: 60_000 };

/** A call of a script or webhook. */
interface DetachedCall<T> {
  /** The webhook or customization, in its present state. */
  readonly owner: string;
  readonly subject: InterpretedSubject;
  /** All that the outcome depends on, except the owner. Calls of an owner with equal requests are one. */
  readonly request: string;
  /** Names the owner in a message: `webhook "c/w"`. */
  readonly callee: string;
  readonly run: () => Promise<T>;
}

/** A call that has not ended. */
interface Pending {
  /** The owner and the request. */
  readonly id: string;
  /** Never rejects, since workers leave. */
  readonly outcome: Promise<CallOutcome>;
  /** Resolves when the call has ended and its outcome is kept. */
  readonly ended: Promise<void>;
  /** A worker has left: the outcome is kept for the next attempt. */
  isLeft: boolean;
}

/** Returns the result of a call. Its type is that of the operation, which is a part of the request. */
function resultOf<T>(outcome: CallOutcome): T {
  if (isFailure(outcome)) throw outcome.error;
  return outcome.value as T;
}

/** Resolves with the outcome of a call, or with undefined after so many milliseconds. */
async function within(ms: number, { outcome }: Pending): Promise<CallOutcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  const first = await Promise.race([outcome, late]);
  clearTimeout(timer);
  return first;
}

/**
 * Calls scripts and webhooks for workers of controllers. A worker waits a short time for an outcome, and not at all for an owner that is known to be
 * slow: it gets NotSynced, the call goes on without it, and its object is reconciled again when the outcome is there. So an owner that never
 * answers holds no worker.
 *
 * An object that changes all the time would never find the outcome of an equal call. A few workers wait longer for such objects, which get their
 * outcomes in the order in which they come.
 */
export class DetachedCalls {
  /** By owner and request. */
  readonly #pending = new Map<string, Pending>();
  /** The newest call that has not ended, by owner and subject. */
  readonly #newest = new Map<string, Pending>();
  readonly #kept: KeptOutcomes;
  readonly #slow = new SlowOwners(maxWaitMs);
  /** Objects by owner for which a call has ended that no worker has asked for since. */
  readonly #missed = new LRUCache<string, true>(remembered);
  /**
   * Owners of which calls were refused, since there were too many: the outcomes of the others are kept, so that the next attempt does not repeat
   * them.
   */
  readonly #crowded = new LRUCache<string, true>(remembered);
  readonly #waiting = new WaitingWorkers();

  /** `signal` aborts when the controllers stop. */
  constructor(signal: AbortSignal) {
    this.#kept = new KeptOutcomes(signal);
  }

  /** Number of outcomes that are kept. */
  get kept(): number {
    return this.#kept.size;
  }

  /**
   * Returns the result of a call, which may be that of another one with the same request. Rejects with NotSynced if the outcome comes later, otherwise
   * as `run` does, which rejects with NotYet if the owner has too many calls.
   */
  async ask<T>(call: DetachedCall<T>): Promise<T> {
    await yieldToEventLoop();
    const { owner, subject, request, callee } = call;
    const object = `${owner}/${subject.object}`;
    const id = `${owner}/${createHash('sha256').update(request).digest('base64')}`;
    const kept = this.#kept.take(id);
    if (kept) {
      this.#missed.delete(object);
      return resultOf(kept);
    }
    const pending = this.#pending.get(id) ?? this.#predecessor(object, subject) ?? this.#begin(id, object, call);
    const outcome = pending.id === id ? await this.#awaited(pending, owner, object) : undefined;
    if (outcome) return resultOf(outcome);
    pending.isLeft = true;
    throw new NotSynced(`${callee} has not answered yet`, pending.ended);
  }

  /** Drops the kept outcomes of the owners whose names begin with `prefix`. */
  drop(prefix: string): void {
    this.#kept.drop(prefix);
  }

  /** Returns a call for an earlier state of the subject. While it goes on, no other one begins: an object that changes often would have many. */
  #predecessor(object: string, { variant }: InterpretedSubject): Pending | undefined {
    const pending = this.#newest.get(`${object}/${variant}`);
    return pending?.isLeft ? pending : undefined;
  }

  async #awaited(pending: Pending, owner: string, object: string): Promise<CallOutcome | undefined> {
    const outcome = this.#slow.has(owner) ? undefined : await within(maxWaitMs, pending);
    if (outcome || !this.#missed.has(object)) return outcome;
    return this.#waiting.run(owner, object, () => within(maxLongWaitMs, pending));
  }

  #begin<T>(id: string, object: string, { owner, subject, run }: DetachedCall<T>): Pending {
    const key = `${object}/${subject.variant}`;
    const end = (outcome: CallOutcome): CallOutcome => {
      this.#pending.delete(id);
      if (this.#newest.get(key) === pending) this.#newest.delete(key);
      if (isFailure(outcome) && outcome.error instanceof NotYet) this.#crowded.set(owner, true);
      if (pending.isLeft || (!isFailure(outcome) && this.#crowded.has(owner))) this.#kept.set(id, outcome);
      if (pending.isLeft) this.#missed.set(object, true);
      return outcome;
    };
    const outcome = this.#slow.measured(owner, run).then(
      value => end({ value }),
      (error: unknown) => end({ error }),
    );
    const pending: Pending = { id, outcome, ended: outcome.then(() => undefined), isLeft: false };
    this.#pending.set(id, pending);
    this.#newest.set(key, pending);
    return pending;
  }
}
