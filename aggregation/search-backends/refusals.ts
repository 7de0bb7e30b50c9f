/** The objects that an OpenSearch refuses for their own sake. They are not sent again until they change. */
import type { Clock } from '../../lib/clock.js';
import { FailureStates } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import type { Counter, Gauge, Meter } from '../../client/runtime/meter.js';
import type { Source } from './interface.js';
import { idOf, type Queued } from './send-queue.js';

interface Refused {
  readonly source: Source;
  /** The version of the object that was refused; '' for a document without an object. */
  readonly version: string;
}

interface RefusalsDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly registry: string;
}

/** Refusals that are remembered. The objects of older ones are sent once more when the objects and the documents are compared. */
const maxRefused = 10_000;

export class Refusals {
  readonly #registry: string;
  readonly #refused = new Map<string, Refused>();
  readonly #states: FailureStates;
  readonly #total: Counter;
  readonly #present: Gauge;
  readonly #dropSeries: () => void;

  constructor({ log, clock, meter, registry }: RefusalsDeps) {
    this.#registry = registry;
    this.#states = new FailureStates({
      ...{ log, now: () => clock.now(), graceMs: 0 },
      fails: 'an OpenSearch refuses an object; it is sent again when it changes',
      works: 'an object that an OpenSearch refused is accepted, deleted or no longer selected',
    });
    const total = meter.counter(
      'flagship_search_refusals_total',
      'States of objects that an OpenSearch refused for their own sake, by ResourceRegistry.',
      ['registry'],
    );
    const present = meter.updown(
      'flagship_search_refused_objects',
      'Objects whose present state an OpenSearch refuses, by ResourceRegistry.',
      ['registry'],
    );
    this.#total = total(registry);
    this.#present = present(registry);
    this.#present.set(0);
    this.#dropSeries = () => {
      total.drop(registry);
      present.drop(registry);
    };
  }

  /** Reports whether this state of the object was refused. */
  has(id: string, version: string): boolean {
    return this.#refused.get(id)?.version === version;
  }

  /** Records a refusal. The error has the cause; one that is no ExpectedError is logged as a bug. */
  add(queued: Queued, version: string, error: unknown): void {
    const id = idOf(queued);
    this.#refused.delete(id);
    if (this.#refused.size >= maxRefused)
      for (const oldest of this.#refused.keys()) {
        this.#refused.delete(oldest);
        break;
      }
    const { source, key, uid } = queued;
    this.#refused.set(id, { source, version });
    this.#total.inc();
    this.#present.set(this.#refused.size);
    const { cluster, kind } = source;
    this.#states.failed(id, error, { registry: this.#registry, cluster, kind, object: key || uid });
  }

  /** Forgets the refusal of an object: it was accepted, deleted, or has left. */
  end(id: string): void {
    if (this.#refused.delete(id)) this.#present.set(this.#refused.size);
    this.#states.worked(id);
  }

  /** Forgets the refusals of the sources that the predicate selects. */
  endWhere(isSelected: (source: Source) => boolean): void {
    for (const [id, { source }] of this.#refused) if (isSelected(source)) this.end(id);
  }

  /** Removes the series. */
  close(): void {
    this.#dropSeries();
  }
}
