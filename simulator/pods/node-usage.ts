import type { Node } from '../../openapi/gen/core-v1.js';
import type { PodSpec } from '../../api/kubernetes/core.js';
import type { Amounts } from '../../apimachinery/quantity/amounts.js';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import { roundedAmount } from '../../kinds/karmada/quota/counted-amount.js';
import { podAmounts } from '../../kinds/kubernetes/core/pod-spec/pod-amounts.js';
import { untoleratedTaint } from '../../kinds/kubernetes/core/tolerates.js';
import type { Pod } from './state.js';
import { isFinished } from './state.js';

/** The resources used on every node, updated as Pods come and go, so that choosing a node costs a check of each node, not of each Pod. */
interface NodeUsage {
  /** Adds a Pod to its node, or updates it. */
  take(key: string, pod: Pod, node: string): void;
  release(key: string): void;
  /** Returns the node with the fewest Pods among those that the Pod fits; otherwise why it fits none, in the words of kube-scheduler. */
  choose(pod: Pod, nodes: readonly Node[]): { readonly node: string } | { readonly reason: string };
}

interface Usage {
  readonly node: string;
  readonly amounts: Amounts;
}

/** as pkg/scheduler/framework/plugins/noderesources computePodResourceRequest, which rounds the sum of each Pod */
const amountsOf = (pod: Pod): Amounts =>
  new Map([
    ...[...podAmounts((pod.spec ?? {}) as PodSpec, 'requests')].map(
      ([name, amount]) => [name, roundedAmount(name, amount)] as const,
    ),
    ['pods', quantityOf(1)] as const,
  ]);

/** Returns the usage of nodes without Pods. */
export function createNodeUsage(): NodeUsage {
  const usages = new Map<string, Usage>();
  const usedByNode = new Map<string, Map<string, Quantity>>();

  function change(node: string, amounts: Amounts, by: (a: Quantity, b: Quantity) => Quantity): void {
    let known = usedByNode.get(node);
    if (!known) usedByNode.set(node, (known = new Map<string, Quantity>()));
    for (const [name, amount] of amounts) known.set(name, by(known.get(name) ?? zeroQuantity, amount));
  }

  function release(key: string): void {
    const usage = usages.get(key);
    if (!usage) return;
    usages.delete(key);
    change(usage.node, usage.amounts, subtractQuantities);
  }

  return {
    take(key, pod, node) {
      release(key);
      if (isFinished(pod)) return;
      const amounts = amountsOf(pod);
      usages.set(key, { node, amounts });
      change(node, amounts, addQuantities);
    },
    release,
    choose(pod, nodes) {
      const wanted = amountsOf(pod);
      const reasons = new Map<string, number>();
      let best: { node: string; pods: Quantity } | undefined;
      for (const node of nodes) {
        const name = node.metadata.name ?? '';
        const used = usedByNode.get(name);
        const misfits = misfit(pod, node, wanted, used);
        for (const reason of misfits) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        const count = used?.get('pods') ?? zeroQuantity;
        if (misfits.length === 0 && (!best || compareQuantities(count, best.pods) < 0))
          best = { node: name, pods: count };
      }
      if (best) return { node: best.node };
      const listed = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
      const why =
        nodes.length === 0
          ? 'no nodes available to schedule pods'
          : `0/${nodes.length} nodes are available: ${listed.join(', ')}.`;
      return { reason: why };
    },
  };
}

/** Returns why a Pod cannot run on a node; empty when it can. */
function misfit(pod: Pod, node: Node, wanted: Amounts, used: Amounts | undefined): string[] {
  if (node.spec?.unschedulable) return ['node(s) were unschedulable'];
  if (untoleratedTaint(node.spec?.taints ?? [], pod.spec?.tolerations ?? []))
    return ['node(s) had untolerated taint(s)'];
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.spec?.nodeSelector ?? {});
  if (selector.some(([key, value]) => labels[key] !== value))
    return ["node(s) didn't match Pod's node affinity/selector"];
  return [...wanted].flatMap(([name, amount]) => {
    const text = node.status?.allocatable?.[name];
    const free = subtractQuantities(
      text === undefined ? zeroQuantity : parseQuantity(text),
      used?.get(name) ?? zeroQuantity,
    );
    if (compareQuantities(amount, free) <= 0) return [];
    return [name === 'pods' ? 'Too many pods' : `Insufficient ${name}`];
  });
}
