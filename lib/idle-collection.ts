import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';
import { keepTickShape } from './tick-shape.js';

const everyMs = 5000;
/** The share of a core below which the event loop counts as idle. */
const idleUtilization = 0.02;
/** Milliseconds between two collections at least: a collection stops everything. */
const minIntervalMs = 60_000;
/** Bytes of new garbage that make a collection worthwhile: it takes about a millisecond for each megabyte in use. */
const minGarbageBytes = 32 << 20;
/**
 * Milliseconds after a collection at which further ones follow when nothing else happens: watch caches have dropped their history by the first,
 * and the embedded store by the second.
 */
const followUpsMs: readonly number[] = [95_000, 320_000];

/**
 * Returns V8's garbage collector, which is exposed on request only. Undefined if another thread hides it at this moment: the options of V8 hold for
 * all threads of a process.
 */
function findCollector(): (() => void) | undefined {
  v8.setFlagsFromString('--expose-gc');
  try {
    return vm.runInNewContext('globalThis.gc') as (() => void) | undefined;
  } finally {
    v8.setFlagsFromString('--no-expose-gc'); // with other options than its code was compiled with, no thread uses the code cache
  }
}

/** Collects garbage and compacts the heap: otherwise V8 keeps the pages of its largest heap, with a few objects on each. */
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

/** Decides when an idle process collects garbage. */
class IdleCollection {
  #collect: (() => void) | undefined;
  #usedAfter = -Infinity; // a start leaves much garbage
  #collected = -minIntervalMs;
  #isSecondDue = false;
  #followUps: readonly number[] = [];

  /** Collects garbage if it is due. Called at intervals while the process is idle. */
  check(now: number): void {
    const [followUp = Infinity] = this.#followUps;
    const isFollowUp = now - this.#collected >= followUp;
    const isDue = usedBytes() - this.#usedAfter >= minGarbageBytes && now - this.#collected >= minIntervalMs;
    if (!isDue && !isFollowUp && !this.#isSecondDue) return;
    this.#collect ??= findCollector();
    if (!this.#collect) return; // the next check tries again
    if (this.#isSecondDue || isFollowUp) compacting(this.#collect);
    else this.#collect();
    this.#usedAfter = usedBytes();
    if (isDue) {
      this.#collected = now;
      this.#followUps = followUpsMs;
    } else if (isFollowUp) this.#followUps = this.#followUps.slice(1);
    // A second collection follows: V8 shrinks the young generation when few objects were allocated since the last one.
    this.#isSecondDue = isDue;
  }
}

/**
 * Collects garbage when the process is idle. Parsed forms of objects are held weakly, but V8 collects only when it needs memory, which an idle
 * server does not. An idle process has no tick objects either, so their hidden class is kept from these collections.
 */
export function reclaimWhenIdle(): void {
  void keepTickShape();
  const collection = new IdleCollection();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization <= idleUtilization) collection.check(performance.now());
  }, everyMs).unref();
}
