import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import os from 'node:os';
import type { Part, PartContext } from '../../server/parts.js';
import { runWithLeader } from '../../client/runtime/leader.js';
import { systemClock } from '../../lib/clock.js';
import type { Election } from '../flags/leader.js';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The identity of this process among the replicas, in the form of Kubernetes' components. */
export const identity = `${os.hostname()}_${randomUUID()}`;

/** Milliseconds for which a server that could not run a part leaves the lead to others. */
const yieldMs = 5000;

/**
 * Returns a part that runs in one of several servers on one store: the holder of the Lease runs it, and stops it when it loses the Lease. The
 * Lease is that of the upstream component, so that this part and the upstream component never run at the same time. The server competes when it is
 * ready. A part that cannot start is left to another server, and tried again.
 */
export function withLeaderElection(part: Part, namespace: string, election: Election): Part {
  /** Runs the part while this server leads. Rejects when the part does not start. */
  async function lead(context: PartContext, signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // each loop of the part adds listeners
    const running = await part.start({ ...context, signal });
    await aborted(signal);
    await running?.stop();
  }

  async function compete(context: PartContext): Promise<void> {
    const { clientFor, log, signal, meter, started } = context;
    const client = clientFor({ name: `system:${part.name}`, groups: ['system:masters', 'system:authenticated'] });
    await started;
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
