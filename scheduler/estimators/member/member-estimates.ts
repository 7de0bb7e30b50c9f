import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ReplicaRequirements } from '../../../api/karmada/types.js';
import { nodes, pods, resourceQuotas } from '../../../api/kubernetes/resources.js';
import type { Informer, InformerFactory, Selection } from '../../../client/runtime/interface.js';
import { type MirrorUse, useMirror } from '../../../client/runtime/mirrors/mirror-use.js';
import { type InSteps, inTimeSlices } from '../../../lib/time-slice.js';
import { stepsUnlessAborted, unlessAborted } from '../../../lib/unless-aborted.js';
import {
  accurateReplicas,
  accurateSets,
  type MemberState,
  type PluginTimer,
} from '../../estimate/accurate/accurate.js';
import type { EstimatedNode, EstimatedPod, EstimatedQuota } from '../../estimate/accurate/interface.js';
import { NodeClasses } from '../../estimate/accurate/node-classes.js';
import { NodeSnapshot } from '../../estimate/accurate/node-snapshot.js';
import type { AssumedWorkload } from '../../interface.js';
import { PendingChanges } from './pending-changes.js';

/** Karmada's names of what plugins are called for. */
export type ExtensionPoint = 'estimate_replicas' | 'estimate_components';

interface MemberEstimatesOptions {
  readonly informers: InformerFactory;
  /** Selects the pods that are mirrored. Absent: all. */
  readonly podSelection?: Selection;
  /** Gate ResourceQuotaEstimate. */
  readonly usesQuotas: boolean;
  /** Gate SchedulingOvercommitProtection. */
  readonly usesAssumed: boolean;
  readonly timed?: (point: ExtensionPoint) => PluginTimer;
  /** Called before the plugins run; what it returns is called after them, also after a failure. */
  readonly timedPoint?: (point: ExtensionPoint) => () => void;
}

/** Estimates by the mirrors of a member's nodes, pods and quotas. Estimates run in time slices, also several at once. */
export class MemberEstimates {
  /** Resolves when the first lists are in the mirrors, or when these end. */
  readonly synced: Promise<void>;
  readonly #options: MemberEstimatesOptions;
  readonly #snapshot = new NodeSnapshot();
  readonly #classes = new NodeClasses(this.#snapshot);
  readonly #nodes: Informer<KubeObject & EstimatedNode>;
  readonly #pods: Informer<KubeObject & EstimatedPod>;
  readonly #quotas: Informer<KubeObject & EstimatedQuota> | undefined;
  readonly #uses: readonly MirrorUse<KubeObject>[];
  readonly #changes: readonly PendingChanges<KubeObject>[];

  constructor(options: MemberEstimatesOptions) {
    const { informers, podSelection = {}, usesQuotas } = options;
    this.#options = options;
    const nodeUse = useMirror<KubeObject & EstimatedNode>(informers, nodes);
    const podUse = useMirror<KubeObject & EstimatedPod>(informers, pods, podSelection);
    const quotaUse = usesQuotas ? useMirror<KubeObject & EstimatedQuota>(informers, resourceQuotas) : undefined;
    this.#uses = [nodeUse, podUse, ...(quotaUse ? [quotaUse] : [])];
    [this.#nodes, this.#pods, this.#quotas] = [nodeUse.informer, podUse.informer, quotaUse?.informer];
    this.#changes = [
      new PendingChanges<KubeObject & EstimatedNode>(this.#nodes, (key, node) => this.#snapshot.setNode(key, node)),
      new PendingChanges<KubeObject & EstimatedPod>(this.#pods, (key, pod) => this.#snapshot.setPod(key, pod)),
    ];
    this.synced = Promise.all(this.#uses.map(({ informer }) => informer.synced)).then(() => undefined);
  }

  get hasSynced(): boolean {
    return this.#uses.every(({ informer }) => informer.hasSynced);
  }

  /** Rejects if a quantity is malformed, and when the signal aborts. */
  async replicas(
    requirements: ReplicaRequirements | undefined,
    assumed: readonly AssumedWorkload[],
    signal: AbortSignal,
  ): Promise<number> {
    const state = await this.#state(assumed, signal);
    return this.#run('estimate_replicas', timed => accurateReplicas(state, requirements, timed), signal);
  }

  /** Rejects if a quantity is malformed, and when the signal aborts. */
  async sets(workload: AssumedWorkload, assumed: readonly AssumedWorkload[], signal: AbortSignal): Promise<number> {
    const state = await this.#state(assumed, signal);
    return this.#run('estimate_components', timed => accurateSets(state, workload, timed), signal);
  }

  async #run(
    point: ExtensionPoint,
    steps: (timed: PluginTimer | undefined) => InSteps<number>,
    signal: AbortSignal,
  ): Promise<number> {
    const { timed, timedPoint } = this.#options;
    const done = timedPoint?.(point);
    try {
      return await inTimeSlices(stepsUnlessAborted(steps(timed?.(point)), signal));
    } finally {
      done?.();
    }
  }

  /** Ends the use of the mirrors. Called once. */
  end(): void {
    for (const changes of this.#changes) changes.end();
    for (const use of this.#uses) use.end();
  }

  async #state(assumed: readonly AssumedWorkload[], signal: AbortSignal): Promise<MemberState> {
    for (const changes of this.#changes) await unlessAborted(changes.settled(), signal);
    const quotas = this.#quotas;
    return {
      nodes: this.#snapshot.nodes,
      classes: this.#classes,
      ...(quotas && { quotasIn: namespace => quotas.list(namespace) }),
      ...(this.#options.usesAssumed && { assumed }),
    };
  }
}
