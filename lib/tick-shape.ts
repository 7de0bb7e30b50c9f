import { executionAsyncResource } from 'node:async_hooks';
import process from 'node:process';

/** An object of Node's queue of ticks, which lives as long as the process. */
let kept: object | undefined;

/**
 * Keeps the hidden class of Node's tick objects alive. `process.nextTick`, which each HTTP/1.1 request calls several times, creates them with computed
 * keys. V8 compiles that to a few instructions as long as it sees one hidden class only. A major collection at a moment without any tick object drops
 * the hidden class; the next tick creates another one, and from then on V8 calls its runtime for each tick, for the rest of the process.
 *
 * Inside of a tick its object is the resource of the execution. An async hook would see it as well, but V8 makes each `await` about a third dearer for
 * the rest of the process once a hook was enabled, even for a moment.
 *
 * Resolves with whether a tick object was found; without one, `process.nextTick` works as ever.
 */
export function keepTickShape(): Promise<boolean> {
  return new Promise(resolve => {
    process.nextTick(() => {
      const resource = executionAsyncResource();
      if ('callback' in resource) kept ??= resource;
      resolve(kept !== undefined);
    });
  });
}
