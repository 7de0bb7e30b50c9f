/** Deletes Pods from nodes with NoExecute taints that they do not tolerate any more. */
// as pkg/controller/tainteviction
import type { Node, Taint, Toleration } from '../../openapi/gen/core-v1.js';
import { secondsMs } from '../../lib/go/duration.js';
import { tolerates } from '../../kinds/kubernetes/core/tolerates.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext, Key } from '../../client/runtime/interface.js';
import { ignoreNotFound } from '../../client/find.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import { writePodStatus } from '../pods/pod-status.js';
import { isFinished, isGoing, type Pod } from '../pods/state.js';

/**
 * Returns the milliseconds for which a Pod may stay under these taints: 0 when one is not tolerated, Infinity when all are tolerated without
 * limit.
 */
export function toleratedMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let shortest = Infinity;
  for (const taint of taints) {
    const fitting = tolerations.filter(toleration => tolerates(toleration, taint));
    if (fitting.length === 0) return 0;
    for (const { tolerationSeconds } of fitting)
      if (tolerationSeconds !== undefined) shortest = Math.min(shortest, Math.max(0, secondsMs(tolerationSeconds)));
  }
  return shortest;
}

const noExecuteTaints = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

const onNode = 'node';

export function startTaintEviction(context: ControllerContext): void {
  const { client, clock, informers } = context;
  const recorder = context.recorder('taint-eviction-controller');
  const nodeMirror = informers.informer<Node>(nodes);
  const mirror = informers.informer<Pod>(pods, { indexers: { [onNode]: ({ spec }) => [spec?.nodeName ?? ''] } });
  /** Since when each Pod has been under NoExecute taints, as seen by this controller. */
  const since = new Map<Key, { readonly uid: string; readonly time: number }>();

  function beginOf(key: Key, { metadata: { uid = '' } }: Pod): number {
    const known = since.get(key);
    if (known?.uid === uid) return known.time;
    const time = clock.now();
    since.set(key, { uid, time });
    return time;
  }

  async function evict(pod: Pod): Promise<void> {
    const { uid = '', name, namespace } = pod.metadata;
    recorder.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
    const target = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    await writePodStatus(client, pod, status => {
      const conditions = (status.conditions ?? []).filter(({ type }) => type !== target.type);
      status.conditions = [...conditions, { ...target, lastTransitionTime: timestamp(clock.now()) }];
    });
    await client.delete(pods, objectKey(pod), { preconditions: { uid } });
  }

  context.run({
    name: 'taint-eviction-controller',
    synced: [mirror.synced, nodeMirror.synced],
    wire(queue) {
      mirror.onChange(({ key, new: pod }) => (pod ? queue.add(key) : since.delete(key)));
      nodeMirror.onChange(({ old, new: node }) => {
        if (!node || (noExecuteTaints(old).length === 0 && noExecuteTaints(node).length === 0)) return;
        for (const pod of mirror.byIndex(onNode, node.metadata.name ?? '')) queue.add(keyOf(pod));
      });
    },
    async reconcile(key) {
      const pod = mirror.get(key);
      const taints = pod?.spec?.nodeName ? noExecuteTaints(nodeMirror.get(pod.spec.nodeName)) : [];
      if (!pod || taints.length === 0 || isGoing(pod) || isFinished(pod)) return void since.delete(key);
      const tolerated = toleratedMs(taints, pod.spec?.tolerations ?? []);
      if (tolerated === Infinity) return void since.delete(key);
      const left = beginOf(key, pod) + tolerated - clock.now();
      if (left > 0) return { againAfter: left };
      await ignoreNotFound(evict(pod));
      return undefined;
    },
  });
}
