/** Where the workloads of a member are read from. */
import { notFound } from '../../../apimachinery/errors/status.js';
import { parseSelector } from '../../../apimachinery/selectors/label-selectors.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { deployments, pods, replicaSets } from '../../../api/kubernetes/resources.js';
import type { Informer, InformerFactory, Selection } from '../../../client/runtime/interface.js';
import type { DeploymentObject, PodObject, ReplicaSetObject, WorkloadReader } from './unschedulable.js';

/** The pods that have not ended. */
export const livePods: Selection = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };

function selected<T extends KubeObject>(informer: Informer<T>, namespace: string, text: string): T[] {
  const selector = parseSelector(text);
  return informer.list(namespace).filter(({ metadata }) => selector.matches(metadata.labels));
}

/** Reads from mirrors of all Deployments, ReplicaSets and pods, which start with the first call. */
export class MirroredWorkloads implements WorkloadReader {
  readonly #informers: InformerFactory;

  constructor(informers: InformerFactory) {
    this.#informers = informers;
  }

  async deployment(namespace: string, name: string): Promise<DeploymentObject> {
    const informer = this.#informers.informer<DeploymentObject>(deployments);
    await informer.synced;
    const found = informer.get(`${namespace}/${name}`);
    if (!found) throw notFound(deployments, name);
    return found;
  }

  async replicaSets(namespace: string, selector: string): Promise<readonly ReplicaSetObject[]> {
    const informer = this.#informers.informer<ReplicaSetObject>(replicaSets);
    await informer.synced;
    return selected(informer, namespace, selector);
  }

  async pods(namespace: string, selector: string): Promise<readonly PodObject[]> {
    const informer = this.#informers.informer<PodObject>(pods, livePods);
    await informer.synced;
    return selected(informer, namespace, selector);
  }
}
