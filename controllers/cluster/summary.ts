import type { KubeObject } from '../../apimachinery/interface.js';
import { holds } from '../../apimachinery/meta/conditions.js';
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
import { yieldToEventLoop } from '../../lib/time-slice.js';
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

/** Sums the requests of pods, and counts the pods as a resource. Yields to the event loop, since a cluster may have very many. */
async function sum(pods: readonly Pod[]): Promise<Map<string, Quantity>> {
  const total = new Map<string, Quantity>();
  for (const { spec } of pods) {
    addPodRequest(total, spec);
    requireFewNames(total);
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  addAmount(total, 'pods', quantityOf(pods.length));
  return total;
}

function requireFewNames(amounts: ReadonlyMap<string, Quantity>): void {
  if (amounts.size > maxNames) throw new Error(`the cluster has more than ${maxNames} kinds of resources`);
}

const holdsResources = ({ spec, status }: Pod): boolean =>
  Boolean(spec.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

/**
 * Returns the resource summary of a cluster, computed from its nodes and pods, without empty lists. Rejects if a node or a pod is
 * malformed.
 */
export async function summarise(
  nodes: readonly Node[],
  pods: readonly Pod[],
  models: readonly ResourceModel[],
): Promise<ResourceSummary> {
  const allocatable = new Map<string, Quantity>();
  for (const { status } of nodes) {
    addAmounts(allocatable, amountsOf(status?.allocatable));
    requireFewNames(allocatable);
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  const allocating = resourceList(await sum(pods.filter(({ spec }) => !spec.nodeName)));
  const allocated = resourceList(await sum(pods.filter(holdsResources)));
  const counts = await countByModel(models, nodes, pods);
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
 * as pkg/modeling, including its quirk that the first node without capacity for pods ends the count.
 */
export async function countByModel(
  models: readonly ResourceModel[],
  nodes: readonly Node[],
  pods: readonly Pod[],
): Promise<number[]> {
  const counts = models.map(() => 0);
  if (models.length === 0) return counts;
  const podsOf = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (!holdsResources(pod)) continue;
    const name = pod.spec.nodeName ?? '';
    const known = podsOf.get(name);
    if (known) known.push(pod);
    else podsOf.set(name, [pod]);
  }
  for (const node of nodes) {
    const free = await freeResources(node, podsOf.get(node.metadata.name ?? ''));
    if (!free) break;
    const grade = gradeOf(models, free);
    if (grade >= 0) counts[grade] = (counts[grade] ?? 0) + 1;
  }
  return counts;
}

/** Returns the free resources of a node; undefined if it has no capacity for more pods. */
async function freeResources(
  { status }: Node,
  pods: readonly Pod[] | undefined,
): Promise<ReadonlyMap<string, Quantity> | undefined> {
  const free = new Map(amountsOf(status?.allocatable));
  if (!pods) return free;
  const used = await sum(pods);
  const count = (map: ReadonlyMap<string, Quantity>): number => quantityValue(map.get('pods') ?? zeroQuantity);
  if (count(free) - count(used) <= 0) return undefined;
  for (const [name, text] of Object.entries(resourceList(used))) {
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
  const ready = nodes.filter(({ status }) => holds(status?.conditions, 'Ready'));
  return {
    ...(nodes.length > 0 ? { totalNum: nodes.length } : {}),
    ...(ready.length > 0 ? { readyNum: ready.length } : {}),
  };
}
