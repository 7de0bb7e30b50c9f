import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import os from 'node:os';
import type { Part, PartContext } from '../../server/parts.js';
import { runWithLeader } from '../../client/runtime/leader.js';
import { systemClock } from '../../lib/clock.js';

export interface Election {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Who we are among the replicas, as Kubernetes' components name themselves. */
const identity = `${os.hostname()}_${randomUUID()}`;

/** Whoever could not run a part leaves the lead to others for so long. */
const yieldMs = 5000;

/**
 * A part that runs in one of several servers over one store: whoever holds the Lease runs it, and stops it when it has lost the Lease. The
 * Lease is that of the component that the part stands for, so that it and the real one wait for each other too. A part that cannot start is
 * left to another server, and tried again.
 */
export function elected(part: Part, namespace: string, election: Election): Part {
  /** Runs the part while this server leads. Rejects when it does not start. */
  async function lead(context: PartContext, signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // as many as the part has loops
    const running = await part.start({ ...context, signal });
    await aborted(signal);
    await running?.stop();
  }

  async function compete(context: PartContext): Promise<void> {
    const { clientFor, log, signal, meter } = context;
    const client = clientFor({ name: `system:${part.name}`, groups: ['system:masters', 'system:authenticated'] });
    while (!signal.aborted) {
      const yielding = new AbortController();
      await runWithLeader({
        ...{ client, clock: systemClock, log, namespace, name: part.name, identity, meter, ...election },
        signal: AbortSignal.any([signal, yielding.signal]),
        lead: leading =>
          lead(context, leading).catch((error: unknown) => {
            log.error(
              { err: error, part: part.name },
              'a part does not run although this server leads; another may try',
            );
            yielding.abort();
          }),
      });
      await systemClock.sleep(yieldMs, signal);
    }
  }

  return {
    name: part.name,
    start(context) {
      const done = compete(context);
      return Promise.resolve({ stop: () => done });
    },
  };
}
