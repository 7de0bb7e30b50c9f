/** Where the workloads of a member are read from. */
import { notFound } from '../../../apimachinery/errors/status.js';
import { namespacedName } from '../../../apimachinery/meta/gvk.js';
import { deployments, pods, replicaSets } from '../../../api/kubernetes/resources.js';
import type { InformerFactory, Selection } from '../../../client/runtime/interface.js';
import { type MirrorUse, useMirror } from '../../../client/runtime/mirrors/mirror-use.js';
import { ControlledObjects, mirrored } from './controlled-objects.js';
import type { DeploymentObject, PodObject, ReplicaSetObject, WorkloadReader } from './unschedulable.js';

/** The pods that have not ended. */
export const livePods: Selection = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };

/** Reads from mirrors of all Deployments, ReplicaSets and pods, which start with the first call. */
export class MirroredWorkloads implements WorkloadReader {
  readonly #informers: InformerFactory;
  readonly #podSelection: Selection;
  #deployments: MirrorUse<DeploymentObject> | undefined;
  #replicaSets: ControlledObjects<ReplicaSetObject> | undefined;
  #pods: ControlledObjects<PodObject> | undefined;

  /** `podSelection` selects the pods that are mirrored. */
  constructor(informers: InformerFactory, podSelection: Selection) {
    this.#informers = informers;
    this.#podSelection = podSelection;
  }

  async deployment(namespace: string, name: string, signal: AbortSignal): Promise<DeploymentObject> {
    this.#deployments ??= useMirror<DeploymentObject>(this.#informers, deployments);
    const { informer } = this.#deployments;
    await mirrored(informer, signal);
    const found = informer.get(namespacedName(namespace, name));
    if (!found) throw notFound(deployments, name);
    return found;
  }

  replicaSets(controllerUid: string, signal: AbortSignal): Promise<readonly ReplicaSetObject[]> {
    this.#replicaSets ??= new ControlledObjects(useMirror<ReplicaSetObject>(this.#informers, replicaSets));
    return this.#replicaSets.of(controllerUid, signal);
  }

  pods(controllerUid: string, signal: AbortSignal): Promise<readonly PodObject[]> {
    this.#pods ??= new ControlledObjects(useMirror<PodObject>(this.#informers, pods, this.#podSelection));
    return this.#pods.of(controllerUid, signal);
  }

  /** Ends the use of the mirrors. */
  end(): void {
    for (const used of [this.#deployments, this.#replicaSets, this.#pods]) used?.end();
    this.#deployments = this.#replicaSets = this.#pods = undefined;
  }
}
