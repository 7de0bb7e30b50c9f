import type { ReplicaSet, ReplicaSetStatus } from '../../openapi/gen/apps-v1.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { ControllerContext } from '../../controllers/runtime/interface.js';
import { updateObject } from '../../controllers/runtime/update.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isGoing, isReady, isStarting, type Pod } from '../pods/state.js';
import { podOf } from '../pods/template.js';
import { replicaSets } from '../resources.js';

/** Pods made or removed in one pass; more passes follow as they appear. as pkg/controller/replicaset BurstReplicas */
const burst = 500;

/** Keeps as many Pods as a ReplicaSet wants. */
export function startReplicaSets(context: ControllerContext): void {
  const { client } = context;
  const mirror = context.informers.informer<ReplicaSet>(replicaSets);
  const pods = ownedPods(context, 'ReplicaSet');
  context.run({
    name: 'replicaset-controller',
    synced: [mirror.synced, pods.mirror.synced],
    wire(queue) {
      mirror.onChange(({ new: set }) => set && queue.add(keyOf(set)));
      pods.wakeOwners(queue);
    },
    async reconcile(key) {
      const set = mirror.get(key);
      if (!set) return;
      const owned = pods.of(set);
      if (!set.metadata.deletionTimestamp && pods.settled(set)) await scale(pods, set, owned.filter(isActive));
      // Simulated Pods start at once: what they are on the way is not worth a write.
      if (!pods.settled(set) || owned.some(pod => isActive(pod) && isStarting(pod))) return;
      const status = statusOf(set, owned.filter(isActive), owned.filter(isGoing).length);
      await updateObject(client, replicaSets, set, draft => void (draft.status = status), { subresource: 'status' });
    },
  });
}

async function scale(pods: OwnedPods, set: ReplicaSet, active: readonly Pod[]): Promise<void> {
  const template = set.spec?.template;
  if (!template) return;
  const missing = (set.spec?.replicas ?? 1) - active.length;
  const more = Array.from({ length: Math.min(missing, burst) > 0 ? Math.min(missing, burst) : 0 });
  await Promise.all(more.map(() => pods.create(set, podOf(set, template, `${set.metadata.name}-`))));
  const superfluous = missing < 0 ? [...active].sort(firstToGo).slice(0, Math.min(-missing, burst)) : [];
  await Promise.all(superfluous.map(pod => pods.remove(set, pod)));
}

/** Pods that do not work go first, then the youngest. as pkg/controller ActivePods, the part of it that can differ here */
function firstToGo(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number => (pod.spec?.nodeName ? 1 : 0) + (isReady(pod) ? 1 : 0);
  const age = (pod: Pod): string => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) > age(b) ? -1 : age(a) < age(b) ? 1 : 0);
}

function statusOf({ metadata, spec }: ReplicaSet, active: readonly Pod[], terminating: number): ReplicaSetStatus {
  const labels = Object.entries(spec?.template?.metadata?.labels ?? {});
  const fully = active.filter(pod => labels.every(([key, value]) => pod.metadata.labels?.[key] === value)).length;
  const ready = active.filter(isReady).length;
  return {
    replicas: active.length,
    ...(fully > 0 ? { fullyLabeledReplicas: fully } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    terminatingReplicas: terminating,
  };
}
