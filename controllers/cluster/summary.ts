import type { KubeObject } from '../../apimachinery/interface.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import { addAmount, addAmounts, amountsOf, amountsText } from '../../apimachinery/quantity/amounts.js';
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import type { CachedObject } from '../../client/interface.js';
import { eachInTurns, yieldToEventLoop } from '../../lib/time-slice.js';
import type { Cluster, ResourceList, ResourceModel, ResourceSummary } from '../../api/karmada/types.js';
import type { PodSpec } from '../interpreter/native/pod.js';
import { addPodRequest, resourceList } from '../interpreter/native/requirements.js';

export interface Node extends KubeObject {
  status?: { allocatable?: ResourceList; conditions?: { type: string; status: string }[] };
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: { phase?: string };
}

/** Maximum number of distinct resource names over all nodes or pods of a cluster. */
const maxNames = 1000;

/** The sum of the requests of pods, with the number of pods as a resource. */
class PodRequests {
  readonly #total = new Map<string, Quantity>();
  #pods = 0;

  add({ spec }: Pod): void {
    addPodRequest(this.#total, spec);
    requireFewNames(this.#total);
    this.#pods++;
  }

  /** Returns the sum in the form of the API. */
  list(): ResourceList {
    const total = new Map(this.#total);
    addAmount(total, 'pods', quantityOf(this.#pods));
    return resourceList(total);
  }

  get pods(): number {
    return this.#pods;
  }
}

function requireFewNames(amounts: ReadonlyMap<string, Quantity>): void {
  if (amounts.size > maxNames) throw new Error(`the cluster has more than ${maxNames} kinds of resources`);
}

const holdsResources = ({ spec, status }: Pod): boolean =>
  Boolean(spec.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

/** The requests of the pods on each node, by its name. */
export class NodeRequests {
  readonly #byNode = new Map<string, PodRequests>();

  add(pod: Pod): void {
    const name = pod.spec.nodeName ?? '';
    let requests = this.#byNode.get(name);
    if (!requests) this.#byNode.set(name, (requests = new PodRequests()));
    requests.add(pod);
  }

  of({ metadata: { name = '' } }: Node): PodRequests | undefined {
    return this.#byNode.get(name);
  }
}

/**
 * Returns the resource summary of a cluster, computed from its nodes and pods, without empty lists. `pods` is iterated in several turns of the event
 * loop, since a cluster may have very many; it must not change meanwhile. Rejects if a node or a pod is malformed.
 */
export async function summarise(
  nodes: readonly Node[],
  pods: Iterable<Pick<CachedObject<Pod>, 'object'>>,
  models: readonly ResourceModel[],
): Promise<ResourceSummary> {
  const allocatable = new Map<string, Quantity>();
  await eachInTurns(nodes, ({ status }) => {
    addAmounts(allocatable, amountsOf(status?.allocatable));
    requireFewNames(allocatable);
  });
  const [pending, running] = [new PodRequests(), new PodRequests()];
  const used = new NodeRequests();
  await eachInTurns(pods, ({ object: pod }) => {
    if (!pod.spec.nodeName) return pending.add(pod);
    if (!holdsResources(pod)) return;
    // This is not the sum over the nodes: what an init container adds depends on the pods before its own.
    running.add(pod);
    if (models.length > 0) used.add(pod);
  });
  const [allocating, allocated] = [pending.list(), running.list()];
  const counts = await countByModel(models, nodes, used);
  return {
    allocatable: amountsText(allocatable),
    ...(Object.keys(allocating).length > 0 ? { allocating } : {}),
    ...(Object.keys(allocated).length > 0 ? { allocated } : {}),
    ...(counts.length > 0
      ? { allocatableModelings: models.map(({ grade }, i) => ({ grade, count: counts[i] ?? 0 })) }
      : {}),
  };
}

/**
 * Returns the number of nodes in every grade: a node counts for the highest grade all of whose minima its free resources reach.
 * `used` holds the requests of the pods that run. as pkg/modeling, including its quirk that the first node without capacity for pods ends the count.
 */
export async function countByModel(
  models: readonly ResourceModel[],
  nodes: readonly Node[],
  used: NodeRequests,
): Promise<number[]> {
  const counts = models.map(() => 0);
  if (models.length === 0) return counts;
  for (const node of nodes) {
    const free = freeResources(node, used.of(node));
    if (!free) break;
    const grade = gradeOf(models, free);
    if (grade >= 0) counts[grade] = (counts[grade] ?? 0) + 1;
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  return counts;
}

/** Returns the free resources of a node; undefined if it has no capacity for more pods. */
function freeResources({ status }: Node, used: PodRequests | undefined): ReadonlyMap<string, Quantity> | undefined {
  const free = new Map(amountsOf(status?.allocatable));
  if (!used) return free;
  if (quantityValue(free.get('pods') ?? zeroQuantity) - used.pods <= 0) return undefined;
  for (const [name, text] of Object.entries(used.list())) {
    const allocatable = free.get(name);
    if (allocatable) free.set(name, subtractQuantities(allocatable, parseQuantity(text)));
  }
  return free;
}

function gradeOf(models: readonly ResourceModel[], free: ReadonlyMap<string, Quantity>): number {
  const names = models[0]?.ranges.map(({ name }) => name) ?? [];
  return Math.min(
    ...names.map(name => {
      const available = free.get(name) ?? zeroQuantity;
      return models.findLastIndex(({ ranges }) => {
        const min = ranges.find(range => range.name === name)?.min ?? '0';
        return compareQuantities(parseQuantity(min), available) <= 0;
      });
    }),
  );
}

export function nodeSummary(nodes: readonly Node[]): NonNullable<NonNullable<Cluster['status']>['nodeSummary']> {
  const ready = nodes.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  return {
    ...(nodes.length > 0 ? { totalNum: nodes.length } : {}),
    ...(ready.length > 0 ? { readyNum: ready.length } : {}),
  };
}
