import { setMaxListeners } from 'node:events';
import type { Part, PartContext, RunningPart } from '../../server/parts.js';
import { systemClock } from '../../lib/clock.js';

/** Milliseconds until a part that could not start is tried again. */
const defaultRetryMs = 5000;

/**
 * Returns a part that starts when the server is ready: no answer of the server depends on it, and it reads all objects, which takes seconds if there are
 * many. A part that cannot start is tried again.
 */
export const startedWhenReady = (part: Part, retryMs = defaultRetryMs): Part => ({
  name: part.name,
  start(context) {
    const starting = startWhenReady(part, context, retryMs);
    return Promise.resolve({ stop: async () => (await starting)?.stop() });
  },
});

/** Resolves when the part has started, or the server stops. */
async function startWhenReady(part: Part, context: PartContext, retryMs: number): Promise<RunningPart | void> {
  const { log, signal, started } = context;
  await started;
  while (!signal.aborted) {
    const failing = new AbortController();
    const ending = AbortSignal.any([signal, failing.signal]);
    setMaxListeners(0, ending); // each loop of the part adds listeners
    try {
      return await part.start({ ...context, signal: ending });
    } catch (error) {
      failing.abort(); // what has started of it ends
      if (signal.aborted) return;
      log.error({ err: error, part: part.name }, 'a part does not run; it is tried again');
      await systemClock.sleep(retryMs, signal);
    }
  }
}
