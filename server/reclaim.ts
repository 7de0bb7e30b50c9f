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
/**
 * Milliseconds from a collection that was due to those that follow it when nothing else happens: watch caches have forgotten their past by the
 * first, and the embedded store by the second.
 */
const followUpsMs: readonly number[] = [95_000, 320_000];

/** The engine's collector, which it hands out on request only. */
function collector(): () => void {
  v8.setFlagsFromString('--expose-gc');
  try {
    return vm.runInNewContext('gc') as () => void;
  } finally {
    v8.setFlagsFromString('--no-expose-gc'); // with other options than it was compiled with no thread takes compiled code
  }
}

/** Moves objects together as well: left alone, the engine keeps the pages of its largest heap, a few objects on each. */
function compacting(collect: () => void): void {
  v8.setFlagsFromString('--compact-on-every-full-gc');
  try {
    collect();
  } finally {
    v8.setFlagsFromString('--no-compact-on-every-full-gc');
  }
}

function usedBytes(): number {
  const { used_heap_size: heap, external_memory: outside } = v8.getHeapStatistics();
  return heap + outside;
}

/** When an idle process collects garbage. */
class IdleCollection {
  #collect: (() => void) | undefined;
  #settled = -Infinity; // a start leaves much behind
  #collected = -pauseMs;
  #isSecondDue = false;
  #followUps: readonly number[] = [];

  /** To be called now and then while there is nothing to do. */
  look(now: number): void {
    const [followUp = Infinity] = this.#followUps;
    const isFollowUp = now - this.#collected >= followUp;
    const isDue = usedBytes() - this.#settled >= worthBytes && now - this.#collected >= pauseMs;
    if (!isDue && !isFollowUp && !this.#isSecondDue) return;
    this.#collect ??= collector();
    if (this.#isSecondDue || isFollowUp) compacting(this.#collect);
    else this.#collect();
    this.#settled = usedBytes();
    if (isDue) {
      this.#collected = now;
      this.#followUps = followUpsMs;
    } else if (isFollowUp) this.#followUps = this.#followUps.slice(1);
    // Once more in a while: the engine gives back the room for young objects when it finds that few were made since the last time.
    this.#isSecondDue = isDue;
  }
}

/**
 * Gives back what nobody uses any more when there is nothing to do: parsed forms of objects are held weakly, but the engine looks for
 * garbage when it needs room, and a server that has become quiet needs none.
 */
export function reclaimWhenIdle(): void {
  const collection = new IdleCollection();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization <= idleBelow) collection.look(performance.now());
  }, everyMs).unref();
}
