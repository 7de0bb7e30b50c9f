import type { Logger } from '../../lib/logging/interface.js';
import type { Client } from '../interface.js';
import type { Clock } from '../../lib/clock.js';
import { createEventBudget } from './event-budget.js';
import { createEventWriter, involved, type Pending } from './event-writer.js';
import type { EventRecorder } from './interface.js';
import { createAdaptiveDelay } from './adaptive-delay.js';

/** Events that wait to be written; beyond them new ones are dropped. */
const queueLimit = 16_384;
/**
 * Milliseconds that an event waits for others that say the same, so that a flurry of them is one write: the longer, the less the process has to
 * spare. What it does comes before telling of it.
 */
const minMergeMs = 250;
const maxMergeMs = 8000;
/** Events written at once, and when the process is full. */
const writers = 4;
const fewWriters = 1;
const fullMs = (minMergeMs + maxMergeMs) / 2;

interface RecorderDeps {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events of all components of a process: same ones are counted up, floods are dropped, writing never holds anybody up. */
export function createEventRecorders(deps: RecorderDeps): (component: string) => EventRecorder {
  const mayWrite = createEventBudget(() => deps.clock.now());
  const write = createEventWriter(deps.client);
  /** In the order in which they came. */
  const pending = new Map<string, Pending>();
  const merging = createAdaptiveDelay({ least: minMergeMs, most: maxMergeMs, full: 0.75 });
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
        await deps.clock.sleep(minMergeMs, deps.signal);
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
