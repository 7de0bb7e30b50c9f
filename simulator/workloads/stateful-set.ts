import type { StatefulSet, StatefulSetStatus } from '../../openapi/gen/apps-v1.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isFinished, isTerminating, isReady, type Pod } from '../pods/state.js';
import { podOf, templateHash } from '../pods/template.js';
import { statefulSets } from '../../api/kubernetes/resources.js';

const revisionLabel = 'controller-revision-hash';
const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** Runs the Pods `name-0` to `name-N` of a StatefulSet, in order unless it is Parallel. */
export function startStatefulSets(context: ControllerContext): void {
  const { client } = context;
  const mirror = context.informers.informer<StatefulSet>(statefulSets);
  const pods = ownedPods(context, 'StatefulSet');
  context.run({
    name: 'statefulset-controller',
    synced: [mirror.synced, pods.mirror.synced],
    wire(queue) {
      mirror.onChange(({ new: set }) => set && queue.add(keyOf(set)));
      pods.wakeOwners(queue);
    },
    async reconcile(key) {
      const set = mirror.get(key);
      if (!set) return;
      const owned = pods.of(set);
      const revision = `${set.metadata.name}-${templateHash(set.spec?.template ?? {})}`;
      if (!set.metadata.deletionTimestamp && pods.settled(set)) await advance(pods, set, owned, revision);
      await updateObject(client, statefulSets, set, draft => void (draft.status = statusOf(set, owned, revision)), {
        subresource: 'status',
      });
    },
  });
}

const ordinalOf = ({ metadata: { name = '' } }: Pod): number => Number(/-(\d+)$/.exec(name)?.[1] ?? -1);

/**
 * Takes one step: creates missing Pods and replaces ended ones, then deletes superfluous and outdated ones from the highest ordinal, one at a
 * time.
 */
async function advance(pods: OwnedPods, set: StatefulSet, owned: readonly Pod[], revision: string): Promise<void> {
  const { podManagementPolicy, updateStrategy, template, replicas = 1, ordinals } = set.spec ?? {};
  if (!template) return;
  const parallel = podManagementPolicy === 'Parallel';
  const start = ordinals?.start ?? 0;
  const byOrdinal = new Map(owned.map(pod => [ordinalOf(pod), pod]));
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (!pod) await pods.create(set, replica(set, ordinal, revision));
    else if (isFinished(pod) && !isTerminating(pod)) await pods.remove(set, pod);
    if (!parallel && (!pod || !isReady(pod) || isTerminating(pod))) return;
  }
  const fromTheEnd = [...owned].sort((a, b) => ordinalOf(b) - ordinalOf(a));
  for (const pod of fromTheEnd.filter(pod => ordinalOf(pod) >= start + replicas || ordinalOf(pod) < start)) {
    if (!isTerminating(pod)) await pods.remove(set, pod);
    if (!parallel) return;
  }
  if (updateStrategy?.type === 'OnDelete') return;
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const pod of fromTheEnd.filter(pod => ordinalOf(pod) >= partition)) {
    if (pod.metadata.labels?.[revisionLabel] === revision) {
      if (!isReady(pod)) return;
      continue;
    }
    if (!isTerminating(pod)) await pods.remove(set, pod);
    return;
  }
}

function replica(set: StatefulSet, ordinal: number, revision: string): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podOf(set, set.spec?.template ?? {}, name);
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [revisionLabel]: revision,
    [podNameLabel]: name,
    [indexLabel]: String(ordinal),
  };
  if (pod.spec) {
    pod.spec.hostname = name;
    if (set.spec?.serviceName) pod.spec.subdomain = set.spec.serviceName;
  }
  return pod;
}

function statusOf({ metadata, spec, status }: StatefulSet, owned: readonly Pod[], revision: string): StatefulSetStatus {
  const active = owned.filter(isActive);
  const ready = active.filter(isReady).length;
  const updated = active.filter(pod => pod.metadata.labels?.[revisionLabel] === revision).length;
  const done = updated === (spec?.replicas ?? 1) && updated === active.length && ready === updated;
  const current = done ? revision : (status?.currentRevision ?? revision);
  const onCurrent = active.filter(pod => pod.metadata.labels?.[revisionLabel] === current).length;
  return {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    replicas: active.length,
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(onCurrent > 0 ? { currentReplicas: onCurrent } : {}),
    ...(updated > 0 ? { updatedReplicas: updated } : {}),
    availableReplicas: ready,
    currentRevision: current,
    updateRevision: revision,
    collisionCount: 0,
  };
}
