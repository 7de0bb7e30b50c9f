/** Deletes Pods from nodes with NoExecute taints that they do not tolerate any more. */
// as pkg/controller/tainteviction
import type { Node, Taint, Toleration } from '../../openapi/gen/core-v1.js';
import type { Client } from '../../client/interface.js';
import type { Clock } from '../../lib/clock.js';
import { secondsMs } from '../../lib/go/duration.js';
import { tolerates } from '../../kinds/kubernetes/core/tolerates.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { keyOf, objectKey } from '../../client/key.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { ignoreNotFound } from '../../client/find.js';
import { nodes, pods } from '../../api/kubernetes/resources.js';
import { writePodStatus } from '../pods/pod-status.js';
import { isFinished, isTerminating, type Pod } from '../pods/state.js';

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

const name = 'taint-eviction-controller';
/** The index of Pods by their node. */
const onNode = 'node';

class TaintEviction {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  /** Since when each Pod has been under NoExecute taints, as seen by this controller. */
  readonly #since = new Map<Key, { readonly uid: string; readonly time: number }>();

  constructor({ client, clock, informers, recorder }: ControllerContext) {
    this.#client = client;
    this.#clock = clock;
    this.#recorder = recorder(name);
    this.#nodes = informers.informer<Node>(nodes);
    this.#pods = informers.informer<Pod>(pods, { indexers: { [onNode]: ({ spec }) => [spec?.nodeName ?? ''] } });
  }

  get synced(): readonly Promise<void>[] {
    return [this.#pods.synced, this.#nodes.synced];
  }

  wire(queue: WorkQueue): void {
    this.#pods.onChange(({ key, new: pod }) => (pod ? queue.add(key) : this.#since.delete(key)));
    this.#nodes.onChange(({ old, new: node }) => {
      if (!node || (noExecuteTaints(old).length === 0 && noExecuteTaints(node).length === 0)) return;
      for (const pod of this.#pods.byIndex(onNode, node.metadata.name ?? '')) queue.add(keyOf(pod));
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const pod = this.#pods.get(key);
    const taints = pod?.spec?.nodeName ? noExecuteTaints(this.#nodes.get(pod.spec.nodeName)) : [];
    if (!pod || taints.length === 0 || isTerminating(pod) || isFinished(pod)) return void this.#since.delete(key);
    const tolerated = toleratedMs(taints, pod.spec?.tolerations ?? []);
    if (tolerated === Infinity) return void this.#since.delete(key);
    const left = this.#beginOf(key, pod) + tolerated - this.#clock.now();
    if (left > 0) return { againAfter: left };
    await ignoreNotFound(this.#evict(pod));
    return undefined;
  }

  #beginOf(key: Key, { metadata: { uid = '' } }: Pod): number {
    const known = this.#since.get(key);
    if (known?.uid === uid) return known.time;
    const time = this.#clock.now();
    this.#since.set(key, { uid, time });
    return time;
  }

  async #evict(pod: Pod): Promise<void> {
    const { uid = '', name, namespace } = pod.metadata;
    this.#recorder.event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
    const target = {
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    await writePodStatus(this.#client, pod, status => {
      const conditions = (status.conditions ?? []).filter(({ type }) => type !== target.type);
      status.conditions = [...conditions, { ...target, lastTransitionTime: timestamp(this.#clock.now()) }];
    });
    await this.#client.delete(pods, objectKey(pod), { preconditions: { uid } });
  }
}

/**
 * Deletes Pods from nodes whose NoExecute taints they do not tolerate, after the seconds for which they tolerate them.
 * as pkg/controller/tainteviction
 */
export function startTaintEviction(context: ControllerContext): void {
  const eviction = new TaintEviction(context);
  context.run({
    name,
    synced: eviction.synced,
    wire: queue => eviction.wire(queue),
    reconcile: key => eviction.reconcile(key),
  });
}
