import type { Logger } from '../../lib/logging/interface.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../interface.js';
import type { Clock } from '../../lib/clock.js';
import { createEventBudget } from './event-budget.js';
import { createEventWriter, involved, type Pending } from './event-writer.js';
import type { EventRecorder } from './interface.js';
import { createAdaptiveDelay } from './adaptive-delay.js';

/** Maximum number of pending events; further ones are dropped. */
const queueLimit = 16_384;
/**
 * Milliseconds for which an event waits for equal ones, which are merged into one write. The wait is longer under load, since events are
 * less important than the work itself.
 */
const minMergeMs = 250;
const maxMergeMs = 8000;
/** Maximum number of events that are written at once. The store writes them to the disk together. */
const maxBatch = 16;
/** Milliseconds of merging from which the process is under load, and pauses between batches. */
const pausingMs = (minMergeMs + maxMergeMs) / 2;

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
}

/** Records the events of all components of a process: equal ones are merged, floods are dropped, and callers never wait for writes. */
export class EventRecorders {
  readonly #deps: RecorderDeps;
  readonly #mayWrite: (source: string) => boolean;
  readonly #write: (id: string, pending: Pending) => Promise<void>;
  /** Pending events by id, in the order of their arrival. */
  readonly #pending = new Map<string, Pending>();
  /** Returns the milliseconds for which an event is merged with equal ones. */
  readonly #mergeMs = createAdaptiveDelay({ minMs: minMergeMs, maxMs: maxMergeMs, fullLoad: 0.75 });
  #isWriting = false;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#mayWrite = createEventBudget(() => deps.clock.now());
    this.#write = createEventWriter(deps.client);
  }

  /** Returns the recorder of a component. */
  recorder(component: string): EventRecorder {
    return { event: (about, type, reason, message) => this.#add({ component, about, type, reason, message }) };
  }

  #add({ component, about, type, reason, message }: RecordedEvent): void {
    const { name, namespace, uid } = about.metadata;
    const id = [component, about.apiVersion, about.kind, namespace, name, uid, type, reason, message].join('\0');
    const now = this.#deps.clock.now();
    const same = this.#pending.get(id);
    if (same) {
      same.count++;
      same.last = now;
      return;
    }
    const source = [component, about.kind, namespace, name].join('\0');
    if (this.#pending.size >= queueLimit || !this.#mayWrite(source)) return;
    this.#pending.set(id, {
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
    while (this.#pending.size > 0 && !signal.aborted) {
      const batch = this.#takeDue();
      await Promise.all(batch.map(([id, pending]) => this.#writeOne(id, pending)));
      if (batch.length === 0 || this.#mergeMs() >= pausingMs) await clock.sleep(minMergeMs, signal);
    }
    this.#isWriting = false;
  }

  async #writeOne(id: string, pending: Pending): Promise<void> {
    try {
      await this.#write(id, pending);
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'event was not written');
    }
  }

  /** Takes the oldest events whose time for merging is over, at most one batch. */
  #takeDue(): [string, Pending][] {
    const due: [string, Pending][] = [];
    const begun = this.#deps.clock.now() - this.#mergeMs();
    for (const entry of this.#pending) {
      if (entry[1].first > begun || due.length === maxBatch) break;
      this.#pending.delete(entry[0]);
      due.push(entry);
    }
    return due;
  }
}
