import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';

const everyMs = 5000;
/** Of a core: below this hardly anybody can be waiting for an answer. */
const idleBelow = 0.02;
/** A collection stops everything: not more often than this. */
const pauseMs = 60_000;
/** Not for less: a collection takes about a millisecond for each megabyte that is in use. */
const worthBytes = 32 << 20;

/** The engine's collector, which it hands out on request only. */
function collector(): () => void {
  v8.setFlagsFromString('--expose-gc');
  try {
    return vm.runInNewContext('gc') as () => void;
  } finally {
    v8.setFlagsFromString('--no-expose-gc'); // with other options than it was compiled with no thread takes compiled code
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: outside } = v8.getHeapStatistics();
  return heap + outside;
}

/**
 * Gives back what nobody uses any more when there is nothing to do: parsed forms of objects are held weakly, but the engine looks for
 * garbage when it needs room, and a server that has become quiet needs none.
 */
export function reclaimWhenIdle(): void {
  let collect: (() => void) | undefined;
  let settled = -Infinity; // a start leaves much behind
  let collected = -pauseMs;
  let again = false;
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleBelow) return;
    const due = usedBytes() - settled >= worthBytes && performance.now() - collected >= pauseMs;
    if (!due && !again) return;
    (collect ??= collector())();
    settled = usedBytes();
    if (due) collected = performance.now();
    // Once more in a while: the engine gives back the room for young objects when it finds that few were made since the last time.
    again = due;
  }, everyMs).unref();
}
