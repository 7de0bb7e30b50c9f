import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Part, PartContext } from '../../apiserver/main/parts.js';
import { runWithLeader } from '../../controllers/runtime/leader.js';
import { systemClock } from '../../storage/clock.js';

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

/**
 * A part that runs in one of several servers over one store: whoever holds the Lease runs it, and stops it when it has lost the Lease. The
 * Lease is that of the component that the part stands for, so that it and the real one wait for each other too.
 */
export function elected(part: Part, namespace: string, election: Election): Part {
  async function lead(context: PartContext, signal: AbortSignal): Promise<void> {
    const { log } = context;
    try {
      const running = await part.start({ ...context, signal });
      await aborted(signal);
      await running?.stop();
    } catch (error) {
      log.error({ err: error, part: part.name }, 'a part cannot run although it leads');
      // Not again at once, nor by somebody else: the lease is held until it is lost or the server ends.
      await aborted(signal);
    }
  }

  return {
    name: part.name,
    start(context) {
      const { clientFor, log, signal } = context;
      const client = clientFor({ name: `system:${part.name}`, groups: ['system:masters', 'system:authenticated'] });
      const done = runWithLeader({
        ...{ client, clock: systemClock, log, namespace, name: part.name, identity, signal },
        ...election,
        lead: leading => lead(context, leading),
      });
      return Promise.resolve({ stop: () => done });
    },
  };
}
