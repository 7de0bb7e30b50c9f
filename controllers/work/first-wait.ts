import type { NotYet } from '../../client/runtime/controller.js';
import { NotSynced } from '../../client/runtime/controller.js';

/** Milliseconds after which a Work is tried again if one of its manifests waits for something whose arrival is not noticed. */
const unnoticedMs = 1000;

/**
 * Returns the error with which a Work waits whose manifests wait for different things; undefined if none waits. The Work is woken by the first thing
 * that arrives, and looks then for the others.
 */
export function firstWait(waits: readonly NotYet[]): NotYet | undefined {
  const awaited = waits.filter(wait => wait instanceof NotSynced);
  const [first] = awaited;
  if (!first || waits.length === 1) return waits[0];
  const isNoticed = awaited.length === waits.length;
  const timeoutMs = Math.min(...awaited.map(wait => wait.timeoutMs), isNoticed ? Infinity : unnoticedMs);
  const synced = new Set(awaited.flatMap(wait => [wait.synced, ...wait.others]));
  synced.delete(first.synced);
  return new NotSynced(first.message, first.synced, timeoutMs, [...synced]);
}
