import type { Logger } from '../../../lib/logging/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Client } from '../../interface.js';
import type { Clock } from '../../../lib/clock.js';
import { TimeSlice } from '../../../lib/time-slice.js';
import { createEventBudget } from './event-budget.js';
import { EventWriter, involved, type Pending } from './event-writer.js';
import type { EventRecorder } from '../interface.js';
import { createAdaptiveDelay } from '../adaptive-delay.js';

/** Maximum number of pending events that were not written before; further ones are dropped. */
const freshLimit = 16_384;
/** Maximum number of pending events that were written before. They wait longer, and must not take the room of new ones. */
const countsLimit = 4096;
/**
 * Milliseconds for which an event waits for equal ones, which are merged into one write. The wait is longer under load, since events are
 * less important than the work itself.
 */
const minMergeMs = 250;
const maxMergeMs = 8000;
/**
 * Milliseconds for which a further occurrence of an event that was written before waits for others: only its count and time change, and a rollout
 * repeats most events several times. differs: client-go writes every one, up to the limit of the object.
 */
const minCountMs = 3000;
const maxCountMs = 20_000;
/** Maximum number of events that are written at once. The store writes them to the disk together, which saves the cost of a write for each few. */
const maxBatch = 64;
/** Number of writes of a batch that are for counts first, so that new events do not keep them from being written. */
const countsOfBatch = 16;
/** Milliseconds of merging from which the process is under load, and pauses between batches. */
const pausingMs = (minMergeMs + maxMergeMs) / 2;
/** Milliseconds of that pause for each event of the batch. */
const pauseOfEventMs = 16;
/** Milliseconds for which writes are begun in one turn of the event loop. */
const beginMs = 4;

/** Event loop utilization from which events wait for the longest time. */
const fullLoad = 0.75;

/** Events that wait for equal ones. */
class Waiting {
  /** By id, in the order of their arrival. */
  readonly pending = new Map<string, Pending>();
  /** Returns the milliseconds for which an event waits. */
  readonly waitMs: () => number;
  readonly #limit: number;

  /** `limit` is the maximum number of events. */
  constructor(limit: number, waitMs: () => number) {
    this.#limit = limit;
    this.waitMs = waitMs;
  }

  get isFull(): boolean {
    return this.pending.size >= this.#limit;
  }

  /** Takes the oldest events whose time is over at `now`, or that are too many, at most `limit`: more than half of the maximum do not wait. */
  takeDue(now: number, limit: number): [string, Pending][] {
    const due: [string, Pending][] = [];
    const begun = now - this.waitMs();
    for (const entry of this.pending) {
      if (due.length >= limit) break;
      if (entry[1].first > begun && this.pending.size <= this.#limit / 2) break;
      this.pending.delete(entry[0]);
      due.push(entry);
    }
    return due;
  }
}

interface RecordedEvent {
  readonly component: string;
  readonly about: KubeObject;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

interface RecorderDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** Return the milliseconds for which new events wait for equal ones, and further ones of a written event. By default they depend on the load. */
  readonly mergeMs?: () => number;
  readonly countMs?: () => number;
}

/** Records the events of all components of a process: equal ones are merged, floods are dropped, and callers never wait for writes. */
export class EventRecorders {
  readonly #deps: RecorderDeps;
  readonly #mayWrite: (source: string) => boolean;
  readonly #writer: EventWriter;
  readonly #fresh: Waiting;
  readonly #counts: Waiting;
  #isWriting = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#mayWrite = createEventBudget(() => deps.clock.now());
    this.#writer = new EventWriter(deps.client);
    const { mergeMs, countMs } = deps;
    const delay = (minMs: number, maxMs: number): (() => number) => createAdaptiveDelay({ minMs, maxMs, fullLoad });
    this.#fresh = new Waiting(freshLimit, mergeMs ?? delay(minMergeMs, maxMergeMs));
    this.#counts = new Waiting(countsLimit, countMs ?? delay(minCountMs, maxCountMs));
  }

  get #size(): number {
    return this.#fresh.pending.size + this.#counts.pending.size;
  }

  /** Returns the recorder of a component. */
  recorder(component: string): EventRecorder {
    return { event: (about, type, reason, message) => this.#add({ component, about, type, reason, message }) };
  }

  #add({ component, about, type, reason, message }: RecordedEvent): void {
    const { name, namespace, uid } = about.metadata;
    const id = [component, about.apiVersion, about.kind, namespace, name, uid, type, reason, message].join('\0');
    const now = this.#deps.clock.now();
    const same = this.#fresh.pending.get(id) ?? this.#counts.pending.get(id);
    if (same) {
      same.count++;
      same.last = now;
      return;
    }
    const source = [component, about.kind, namespace, name].join('\0');
    const waiting = this.#writer.isCounted(id) ? this.#counts : this.#fresh;
    if (waiting.isFull || !this.#mayWrite(source)) return;
    waiting.pending.set(id, {
      component,
      about: involved(about),
      type,
      reason,
      message,
      first: now,
      last: now,
      count: 1,
    });
    void this.#drain();
  }

  /** Writes events that are due, in batches, until none is pending. */
  async #drain(): Promise<void> {
    const { clock, signal } = this.#deps;
    if (this.#isWriting) return;
    this.#isWriting = true;
    while (this.#size > 0 && !signal.aborted) {
      const batch = this.#takeBatch();
      await this.#writeAll(batch);
      const isPausing = batch.length === 0 || this.#fresh.waitMs() >= pausingMs;
      if (isPausing) await clock.sleep(Math.max(minMergeMs, pauseOfEventMs * batch.length), signal);
    }
    this.#isWriting = false;
  }

  #takeBatch(): [string, Pending][] {
    const now = this.#deps.clock.now();
    const batch = this.#counts.takeDue(now, countsOfBatch);
    for (const waiting of [this.#fresh, this.#counts]) batch.push(...waiting.takeDue(now, maxBatch - batch.length));
    return batch;
  }

  /** Writes a batch at once, as far as the event loop allows: a process that has just started takes ten times as long for each event. */
  async #writeAll(batch: readonly [string, Pending][]): Promise<void> {
    const slice = new TimeSlice(beginMs);
    const writes: Promise<void>[] = [];
    for (const [id, pending] of batch) {
      const pause = slice.pause();
      if (pause) await pause;
      writes.push(this.#writeOne(id, pending));
    }
    await Promise.all(writes);
  }

  async #writeOne(id: string, pending: Pending): Promise<void> {
    try {
      await this.#writer.write(id, pending);
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'event was not written');
    }
  }
}
