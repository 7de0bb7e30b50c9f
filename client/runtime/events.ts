import type { Logger } from '../../lib/logging/interface.js';
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
/** Maximum number of concurrent writes, normally and under load. */
const writers = 4;
const writersUnderLoad = 1;
const fullMs = (minMergeMs + maxMergeMs) / 2;

interface RecorderDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Records the events of all components of a process: equal ones are merged, floods are dropped, and callers never wait for writes. */
export function createEventRecorders(deps: RecorderDeps): (component: string) => EventRecorder {
  const mayWrite = createEventBudget(() => deps.clock.now());
  const write = createEventWriter(deps.client);
  /** Pending events by id, in the order of their arrival. */
  const pending = new Map<string, Pending>();
  const merging = createAdaptiveDelay({ minMs: minMergeMs, maxMs: maxMergeMs, fullLoad: 0.75 });
  let busy = 0;

  function takeDue(): [string, Pending] | undefined {
    for (const entry of pending) {
      if (entry[1].first + merging() > deps.clock.now()) return undefined;
      pending.delete(entry[0]);
      return entry;
    }
    return undefined;
  }

  const maxWriters = (): number => (merging() < fullMs ? writers : writersUnderLoad);

  /** Writes events that are due. The last active writer sleeps until the next one is due; the others stop. */
  async function drain(): Promise<void> {
    if (busy >= maxWriters()) return;
    busy++;
    while (pending.size > 0 && !deps.signal.aborted && busy <= maxWriters()) {
      const due = takeDue();
      if (!due) {
        if (busy > 1) break;
        await deps.clock.sleep(minMergeMs, deps.signal);
        continue;
      }
      if (busy < maxWriters() && pending.size > writers) void drain();
      try {
        await write(...due);
      } catch (error) {
        deps.log.debug({ err: error }, 'event was not written');
      }
    }
    busy--;
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
