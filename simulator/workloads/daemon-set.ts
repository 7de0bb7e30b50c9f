import type { DaemonSet, DaemonSetStatus } from '../../openapi/gen/apps-v1.js';
import type { Node, Taint, Toleration } from '../../openapi/gen/core-v1.js';
import { deepEqual } from '../../lib/json/equality.js';
import { tolerates } from '../../kinds/kubernetes/core/tolerates.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { updateObject } from '../../client/runtime/update.js';
import { type OwnedPods, ownedPods } from '../pods/owned.js';
import { isActive, isFinished, isTerminating, isReady, type Pod } from '../pods/state.js';
import { podOf, templateHash } from '../pods/template.js';
import { daemonSets, nodes } from '../../api/kubernetes/resources.js';

const hashLabel = 'controller-revision-hash';

/** Runs one Pod of a DaemonSet on every node that its template selects. */
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
        const same = old && node && deepEqual(old.spec?.taints, node.spec?.taints);
        if (!same) mirror.list().forEach(set => queue.add(keyOf(set)));
      });
      pods.wakeOwners(queue);
    },
    async reconcile(key) {
      const set = mirror.get(key);
      if (!set) return;
      const all = nodeMirror.list();
      const wanted = all.filter(node => runsOn(set, node, repels));
      const kept = all.filter(node => runsOn(set, node, evicts));
      const owned = pods.of(set);
      const hash = templateHash(set.spec?.template ?? {});
      if (!set.metadata.deletionTimestamp && pods.settled(set)) await spread(pods, set, { wanted, kept, owned, hash });
      await updateObject(client, daemonSets, set, draft => void (draft.status = statusOf(set, wanted, owned, hash)), {
        subresource: 'status',
      });
    },
  });
}

const exists = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect,
});

/** Tolerations of the Pods of every DaemonSet. as pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations */
const defaultTolerations: readonly Toleration[] = [
  exists('not-ready', 'NoExecute'),
  exists('unreachable', 'NoExecute'),
  exists('disk-pressure', 'NoSchedule'),
  exists('memory-pressure', 'NoSchedule'),
  exists('pid-pressure', 'NoSchedule'),
  exists('unschedulable', 'NoSchedule'),
];

function tolerationsOf({ spec }: DaemonSet): Toleration[] {
  const { tolerations = [], hostNetwork } = spec?.template.spec ?? {};
  return [...tolerations, ...defaultTolerations, ...(hostNetwork ? [exists('network-unavailable', 'NoSchedule')] : [])];
}

const evicts = ({ effect }: Taint): boolean => effect === 'NoExecute';
const repels = (taint: Taint): boolean => evicts(taint) || taint.effect === 'NoSchedule';

/**
 * Returns whether the set's Pods belong on the node. `matters` selects the taints that they must tolerate. as pkg/controller/daemon
 * NodeShouldRunDaemonPod
 */
function runsOn(set: DaemonSet, { metadata, spec }: Node, matters: (taint: Taint) => boolean): boolean {
  const selector = set.spec?.template.spec?.nodeSelector ?? {};
  if (!Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value)) return false;
  const tolerations = tolerationsOf(set);
  return (spec?.taints ?? [])
    .filter(matters)
    .every(taint => tolerations.some(toleration => tolerates(toleration, taint)));
}

interface Spread {
  /** Nodes that should have a Pod. */
  readonly wanted: readonly Node[];
  /** Nodes whose existing Pod stays. */
  readonly kept: readonly Node[];
  readonly owned: readonly Pod[];
  readonly hash: string;
}

async function spread(pods: OwnedPods, set: DaemonSet, { wanted, kept, owned, hash }: Spread): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const keptNames = new Set(kept.map(({ metadata }) => metadata.name));
  const occupied = new Set<string | undefined>();
  let replaced = false;
  for (const pod of owned) {
    const node = pod.spec?.nodeName;
    const misplaced = !keptNames.has(node) || occupied.has(node) || isFinished(pod);
    occupied.add(node);
    if (isTerminating(pod)) continue;
    const outdated = set.spec?.updateStrategy?.type !== 'OnDelete' && pod.metadata.labels?.[hashLabel] !== hash;
    const next = outdated && !replaced && owned.every(other => isTerminating(other) || isReady(other));
    if (next) replaced = true;
    if (misplaced || next) await pods.remove(set, pod);
  }
  for (const name of names) {
    if (occupied.has(name) || name === undefined) continue;
    const pod = podOf(set, set.spec?.template ?? {}, `${set.metadata.name}-`);
    pod.metadata.labels = { ...pod.metadata.labels, [hashLabel]: hash };
    if (pod.spec) {
      pod.spec.nodeName = name;
      pod.spec.tolerations = tolerationsOf(set);
    }
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
