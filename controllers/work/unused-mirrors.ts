import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { clusterOfExecutionNamespace, executionNamespace } from '../../api/karmada/names.js';
import type { Work } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { splitKey } from '../../client/key.js';
import type { ControllerContext, Informer } from '../../client/runtime/interface.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import type { MemberWatch, UsedMirror } from '../members/member-watch.js';

/** Milliseconds from the deletion of a Work until mirrors are looked for that no Work needs: those of Works that are replaced need not start anew. */
const defaultDelayMs = 60_000;

const kindId = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;

/**
 * Stops the mirrors of members whose kind no Work of the member has any more. It looks for them after deletions of Works, in one pass over the Works
 * of the member, which ends as soon as all kinds were seen. differs: Karmada mirrors such a kind until it is restarted.
 */
export function releaseUnusedMirrors(
  { informers, clock, signal }: ControllerContext,
  members: MemberWatch,
  delayMs = defaultDelayMs,
): void {
  const works = informers.informer<Work>(resources.works);
  const due = new Set<string>();
  const releaseLater = async (cluster: string): Promise<void> => {
    await clock.sleep(delayMs, signal);
    due.delete(cluster);
    if (!signal.aborted) await release(cluster, works, members);
  };
  works.onChange(({ key, newCached }) => {
    const cluster = newCached ? undefined : clusterOfExecutionNamespace(splitKey(key).namespace);
    if (cluster === undefined || due.has(cluster)) return;
    due.add(cluster);
    void releaseLater(cluster);
  });
}

async function release(cluster: string, works: Informer<Work>, members: MemberWatch): Promise<void> {
  const began = performance.now();
  const unused = new Map<string, UsedMirror>();
  for (const mirror of members.mirrorsOf(cluster))
    unused.set(kindId(apiVersionOf(mirror.resource), mirror.resource.kind), mirror);
  for (const key of works.keysIn(executionNamespace(cluster))) {
    if (unused.size === 0) return;
    for (const { apiVersion, kind } of works.get(key)?.spec.workload?.manifests ?? [])
      unused.delete(kindId(apiVersion, kind));
    const turn = yieldToEventLoop();
    if (turn) await turn;
  }
  // A mirror that was asked for meanwhile is needed by a Work that has come since.
  for (const { resource, usedAt } of unused.values()) if (usedAt < began) members.release(cluster, resource);
}
