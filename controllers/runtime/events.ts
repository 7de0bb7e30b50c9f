import { LRUCache } from 'lru-cache';
import type { GroupVersionResource, KubeObject } from '../../openapi/interface.js';
import { StatusError } from '../../openapi/meta/status.js';
import type { Client } from '../../registry/interface.js';
import type { Clock, EventRecorder, Logger } from './interface.js';

const events: GroupVersionResource = { group: '', version: 'v1', resource: 'events' };
/** An object may cause a burst of events, then one every five minutes (as client-go tools/record EventSourceObjectSpamFilter). */
const burst = 25;
const refillMs = 300_000;
const queueLimit = 1000;

interface Known {
  name: string;
  namespace: string;
  count: number;
}

interface RecorderDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events of all components of a process: same ones are counted up, floods are dropped, writing never holds anybody up. */
export function createEventRecorders(deps: RecorderDeps): (component: string) => EventRecorder {
  const known = new LRUCache<string, Known>({ max: 4096, ttl: 600_000 });
  const budgets = new LRUCache<string, { tokens: number; at: number }>({ max: 4096 });
  const queue: (() => Promise<void>)[] = [];
  let draining = false;

  async function drain(): Promise<void> {
    if (draining) return;
    draining = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        await next();
      } catch (error) {
        deps.log.debug({ err: error }, 'event was not written');
      }
    }
    draining = false;
  }

  function mayWrite(source: string): boolean {
    const now = deps.clock.now();
    const budget = budgets.get(source) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / refillMs);
    if (tokens < 1) return false;
    budgets.set(source, { tokens: tokens - 1, at: now });
    return true;
  }

  async function write(
    component: string,
    about: KubeObject,
    type: string,
    reason: string,
    message: string,
  ): Promise<void> {
    const { name = '', namespace, uid = '', resourceVersion = '' } = about.metadata;
    const now = new Date(deps.clock.now());
    const time = `${now.toISOString().slice(0, 19)}Z`;
    const id = [component, about.apiVersion, about.kind, namespace, name, uid, type, reason, message].join('\0');
    const before = known.get(id);
    if (before) {
      before.count++;
      try {
        await deps.client.patch(events, before, { type: 'merge', patch: { count: before.count, lastTimestamp: time } });
        return;
      } catch (error) {
        if (!(error instanceof StatusError && error.code === 404)) throw error;
      }
    }
    const event: KubeObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${nanoseconds(now)}`, namespace: namespace || 'default' },
      involvedObject: {
        kind: about.kind,
        ...(namespace ? { namespace } : {}),
        name,
        uid,
        apiVersion: about.apiVersion,
        resourceVersion,
      },
      reason,
      message,
      source: { component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      reportingComponent: component,
      reportingInstance: '',
    };
    await deps.client.create(events, event);
    known.set(id, { name: event.metadata.name ?? '', namespace: event.metadata.namespace ?? '', count: 1 });
  }

  return component => ({
    event(about, type, reason, message) {
      const source = [component, about.kind, about.metadata.namespace, about.metadata.name].join('\0');
      if (queue.length >= queueLimit || !mayWrite(source)) return;
      queue.push(() => write(component, about, type, reason, message));
      void drain();
    },
  });
}

let last = 0n;
/** Strictly growing, in hexadecimal, so that names of events never collide within a process. */
function nanoseconds(now: Date): string {
  const at = BigInt(now.getTime()) * 1_000_000n;
  last = at > last ? at : last + 1n;
  return last.toString(16);
}
