import { LRUCache } from 'lru-cache';
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { StatusError } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import { timestamp } from './conditions.js';
import type { EventRecorder, Logger } from './interface.js';
import type { Clock } from '../../storage/clock.js';
import { createSettling } from './settle.js';

const events: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
/** An object may cause a burst of events, then one every five minutes (as client-go tools/record EventSourceObjectSpamFilter). */
const burst = 25;
const refillMs = 300_000;
/** Events that wait to be written; beyond them new ones are dropped. */
const queueLimit = 16_384;
/**
 * Milliseconds that an event waits for others that say the same, so that a flurry of them is one write: the longer, the less the process has to
 * spare. What it does comes before telling of it.
 */
const leastMergeMs = 250;
const mostMergeMs = 8000;
/** Events written at once, and when the process is full. */
const writers = 4;
const fewWriters = 1;
const fullMs = (leastMergeMs + mostMergeMs) / 2;

interface Known {
  name: string;
  namespace: string;
  count: number;
}

/** What an event tells of its object, which it does not keep. */
interface Involved {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
}

function involved({ kind, apiVersion, metadata }: KubeObject): Involved {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  return { kind, ...(namespace ? { namespace } : {}), name, uid, apiVersion, resourceVersion };
}

interface Pending {
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

interface RecorderDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events of all components of a process: same ones are counted up, floods are dropped, writing never holds anybody up. */
export function createEventRecorders(deps: RecorderDeps): (component: string) => EventRecorder {
  const known = new LRUCache<string, Known>({ max: 4096, ttl: 600_000 });
  const budgets = new LRUCache<string, { tokens: number; at: number }>({ max: 4096 });
  /** In the order in which they came. */
  const pending = new Map<string, Pending>();
  const merging = createSettling({ least: leastMergeMs, most: mostMergeMs, full: 0.75 });
  let busy = 0;

  function takeDue(): [string, Pending] | undefined {
    for (const entry of pending) {
      if (entry[1].first + merging() > deps.clock.now()) return undefined;
      pending.delete(entry[0]);
      return entry;
    }
    return undefined;
  }

  const atOnce = (): number => (merging() < fullMs ? writers : fewWriters);

  /** Writes what is due; the last writer to find nothing waits for what is not due yet. */
  async function drain(): Promise<void> {
    if (busy >= atOnce()) return;
    busy++;
    while (pending.size > 0 && !deps.signal.aborted && busy <= atOnce()) {
      const due = takeDue();
      if (!due) {
        if (busy > 1) break;
        await deps.clock.sleep(leastMergeMs, deps.signal);
        continue;
      }
      if (busy < atOnce() && pending.size > writers) void drain();
      try {
        await write(...due);
      } catch (error) {
        deps.log.debug({ err: error }, 'event was not written');
      }
    }
    busy--;
  }

  function mayWrite(source: string): boolean {
    const now = deps.clock.now();
    const budget = budgets.get(source) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / refillMs);
    if (tokens < 1) return false;
    budgets.set(source, { tokens: tokens - 1, at: now });
    return true;
  }

  async function write(id: string, pending: Pending): Promise<void> {
    const { component, about, type, reason, message, count } = pending;
    const { name, namespace } = about;
    const [firstTimestamp, lastTimestamp] = [timestamp(pending.first), timestamp(pending.last)];
    const before = known.get(id);
    if (before) {
      before.count += count;
      try {
        await deps.client.patch(events, before, { type: 'merge', patch: { count: before.count, lastTimestamp } });
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
    await deps.client.create(events, event);
    known.set(id, { name: event.metadata.name ?? '', namespace: event.metadata.namespace ?? '', count });
  }

  return component => ({
    event(about, type, reason, message) {
      const { name, namespace, uid } = about.metadata;
      const id = [component, about.apiVersion, about.kind, namespace, name, uid, type, reason, message].join('\0');
      const now = deps.clock.now();
      const same = pending.get(id);
      if (same) {
        same.count++;
        same.last = now;
        return;
      }
      const source = [component, about.kind, namespace, name].join('\0');
      if (pending.size >= queueLimit || !mayWrite(source)) return;
      pending.set(id, { component, about: involved(about), type, reason, message, first: now, last: now, count: 1 });
      void drain();
    },
  });
}

let last = 0n;
/** Strictly growing, in hexadecimal, so that names of events never collide within a process. */
function nanoseconds(now: number): string {
  const at = BigInt(now) * 1_000_000n;
  last = at > last ? at : last + 1n;
  return last.toString(16);
}
