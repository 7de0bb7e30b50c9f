import type { DaemonSet, DaemonSetStatus } from '../../openapi/gen/apps-v1.js';
import type { Node } from '../../openapi/gen/core-v1.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { ControllerContext } from '../../controllers/runtime/interface.js';
import { updateObject } from '../../controllers/runtime/update.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isFinished, isGoing, isReady, type Pod } from '../pods/state.js';
import { podOf, templateHash } from '../pods/template.js';
import { daemonSets, nodes } from '../../registry/kinds/native-resources.js';

const hashLabel = 'controller-revision-hash';

/** Keeps one Pod of a DaemonSet on every node that its template selects. */
export function startDaemonSets(context: ControllerContext): void {
  const { client } = context;
  const mirror = context.informers.informer<DaemonSet>(daemonSets);
  const nodeMirror = context.informers.informer<Node>(nodes);
  const pods = ownedPods(context, 'DaemonSet');
  context.run({
    name: 'daemonset-controller',
    synced: [mirror.synced, nodeMirror.synced, pods.mirror.synced],
    wire(queue) {
      mirror.onChange(({ new: set }) => set && queue.add(keyOf(set)));
      nodeMirror.onChange(({ old, new: node }) => {
        if (!old || !node) mirror.list().forEach(set => queue.add(keyOf(set)));
      });
      pods.wakeOwners(queue);
    },
    async reconcile(key) {
      const set = mirror.get(key);
      if (!set) return;
      const wanted = nodeMirror.list().filter(node => runsOn(set, node));
      const owned = pods.of(set);
      const hash = templateHash(set.spec?.template ?? {});
      if (!set.metadata.deletionTimestamp && pods.settled(set)) await spread(pods, set, wanted, owned, hash);
      await updateObject(client, daemonSets, set, draft => void (draft.status = statusOf(set, wanted, owned, hash)), {
        subresource: 'status',
      });
    },
  });
}

function runsOn({ spec }: DaemonSet, { metadata }: Node): boolean {
  const selector = spec?.template.spec?.nodeSelector ?? {};
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

async function spread(
  pods: OwnedPods,
  set: DaemonSet,
  wanted: readonly Node[],
  owned: readonly Pod[],
  hash: string,
): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const there = new Set<string | undefined>();
  let replaced = false;
  for (const pod of owned) {
    const node = pod.spec?.nodeName;
    const astray = !names.has(node) || there.has(node) || isFinished(pod);
    there.add(node);
    if (isGoing(pod)) continue;
    const outdated = set.spec?.updateStrategy?.type !== 'OnDelete' && pod.metadata.labels?.[hashLabel] !== hash;
    const next = outdated && !replaced && owned.every(other => isGoing(other) || isReady(other));
    if (next) replaced = true;
    if (astray || next) await pods.remove(set, pod);
  }
  for (const name of names) {
    if (there.has(name) || name === undefined) continue;
    const pod = podOf(set, set.spec?.template ?? {}, `${set.metadata.name}-`);
    pod.metadata.labels = { ...pod.metadata.labels, [hashLabel]: hash };
    if (pod.spec) pod.spec.nodeName = name;
    await pods.create(set, pod);
  }
}

function statusOf(
  { metadata }: DaemonSet,
  wanted: readonly Node[],
  owned: readonly Pod[],
  hash: string,
): DaemonSetStatus {
  const names = new Set(wanted.map(node => node.metadata.name));
  const active = owned.filter(isActive);
  const placed = active.filter(pod => names.has(pod.spec?.nodeName));
  const ready = placed.filter(isReady).length;
  const updated = placed.filter(pod => pod.metadata.labels?.[hashLabel] === hash).length;
  return {
    currentNumberScheduled: placed.length,
    desiredNumberScheduled: wanted.length,
    numberMisscheduled: active.length - placed.length,
    numberReady: ready,
    ...(ready > 0 ? { numberAvailable: ready } : {}),
    ...(wanted.length > ready ? { numberUnavailable: wanted.length - ready } : {}),
    ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
  };
}
