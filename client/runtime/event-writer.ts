import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../apimachinery/interface.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../interface.js';
import { timestamp } from './conditions.js';
import { events } from '../../api/kubernetes/resources.js';

/** What an event tells of its object, which it does not keep. */
export interface Involved {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
}

export function involved({ kind, apiVersion, metadata }: KubeObject): Involved {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion, resourceVersion };
}

/** What is to be told, so many times. */
export interface Pending {
  readonly component: string;
  readonly about: Involved;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds. */
  readonly first: number;
  last: number;
  count: number;
}

/** One that was written. */
interface Known {
  name: string;
  namespace: string;
  count: number;
}

/** Writes events; one that says the same again under its id is counted up. */
export function createEventWriter(client: Client): (id: string, pending: Pending) => Promise<void> {
  const known = new LRUCache<string, Known>({ max: 4096, ttl: 600_000 });
  return async (id, pending) => {
    const { component, about, type, reason, message, count } = pending;
    const { name, namespace } = about;
    const [firstTimestamp, lastTimestamp] = [timestamp(pending.first), timestamp(pending.last)];
    const before = known.get(id);
    if (before) {
      before.count += count;
      try {
        await client.patch(events, before, { type: 'merge', patch: { count: before.count, lastTimestamp } });
        return;
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      }
    }
    const event: KubeObject = {
      apiVersion: 'v1',
      kind: 'Event',
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
    await client.create(events, event);
    known.set(id, { name: event.metadata.name ?? '', namespace: event.metadata.namespace ?? '', count });
  };
}

let last = 0n;
/** Strictly growing, in hexadecimal, so that names of events never collide within a process. */
function nanoseconds(now: number): string {
  const at = BigInt(now) * 1_000_000n;
  last = at > last ? at : last + 1n;
  return last.toString(16);
}
