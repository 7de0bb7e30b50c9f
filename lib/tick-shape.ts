import { createHook } from 'node:async_hooks';
import process from 'node:process';

/** An object of Node's queue of ticks, which lives as long as the process. */
let kept: object | undefined;

/**
 * Keeps the hidden class of Node's tick objects alive. `process.nextTick`, which each HTTP/1.1 request calls several times, creates them with computed
 * keys. V8 compiles that to a few instructions as long as it sees one hidden class only. A major collection at a moment without any tick object drops
 * the hidden class; the next tick creates another one, and from then on V8 calls its runtime for each tick, for the rest of the process.
 * Returns whether a tick object was found; without one, `process.nextTick` works as ever.
 */
export function keepTickShape(): boolean {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept ??= resource;
    },
  });
  hook.enable();
  process.nextTick(() => undefined);
  hook.disable();
  return kept !== undefined;
}
