import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../interface.js';
import { timestamp } from '../conditions.js';
import { events } from '../../../api/kubernetes/resources.js';

/** The involvedObject of an event; it does not keep the object in memory. */
interface Involved {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
}

/** Returns the reference of an Event to the object that it is about. as client-go/tools/reference GetReference */
export function involved({ kind, apiVersion, metadata }: KubeObject): Involved {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion, resourceVersion };
}

/** An event to be written, with its count. */
export interface Pending {
  readonly component: string;
  readonly about: Involved;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Times of the first and last occurrence in milliseconds since the epoch. */
  readonly first: number;
  last: number;
  count: number;
}

/** An event that was written. */
interface WrittenEvent {
  name: string;
  namespace: string;
  count: number;
}

/** Writes events, and increases the counts of those that it has written under the same id. */
export class EventWriter {
  readonly #client: Client;
  readonly #written = new LRUCache<string, WrittenEvent>({ max: 4096, ttl: 600_000 });

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reports whether an event with this id would only be counted. */
  isCounted(id: string): boolean {
    return this.#written.has(id);
  }

  async write(id: string, pending: Pending): Promise<void> {
    const { component, about, type, reason, message, count } = pending;
    const { name, namespace } = about;
    const [firstTimestamp, lastTimestamp] = [timestamp(pending.first), timestamp(pending.last)];
    const before = this.#written.get(id);
    if (before) {
      before.count += count;
      try {
        await this.#client.patch(events, before, { type: 'merge', patch: { count: before.count, lastTimestamp } });
        return;
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      }
    }
    // hot: the fields stand in the order of their declaration, so that the pipeline need not sort them.
    const event: KubeObject = {
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: `${name}.${nanoseconds(pending.first)}`, namespace: namespace || 'default' },
      involvedObject: about,
      reason,
      message,
      source: { component },
      ...{ firstTimestamp, lastTimestamp, count },
      type,
      reportingComponent: component,
      reportingInstance: '',
    };
    await this.#client.create(events, event);
    this.#written.set(id, { name: event.metadata.name ?? '', namespace: event.metadata.namespace ?? '', count });
  }
}

let last = 0n;
/** Returns a strictly increasing hexadecimal number, so that names of events do not collide within a process. */
function nanoseconds(now: number): string {
  const at = BigInt(now) * 1_000_000n;
  last = at > last ? at : last + 1n;
  return last.toString(16);
}
