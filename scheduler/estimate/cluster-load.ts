import {
  addQuantities,
  multiplyQuantity,
  type Quantity,
  quantityOf,
  quantitySign,
  quantityText,
  subtractQuantities,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import type { Component, ResourceSummary } from '../../api/karmada/types.js';
import { roundedAmount } from '../../kinds/karmada/quota/counted-amount.js';
import type { AssumedLoad, AssumedWorkload } from '../interface.js';
import { amountByFormat } from './component-sets.js';
import { parsedQuantity } from './resource-summary.js';

/** What a workload adds to the load of its cluster. */
interface Share {
  readonly pods: number;
  readonly amounts: ReadonlyMap<string, Quantity>;
  readonly requested: ReadonlyMap<string, number>;
}

function shareOf(components: readonly Component[]): Share {
  let pods = 0;
  const amounts = new Map<string, Quantity>();
  const requested = new Map<string, number>();
  const add = (name: string, more: Quantity): void =>
    void amounts.set(name, addQuantities(amounts.get(name) ?? zeroQuantity, more));
  for (const { replicas, replicaRequirements: { resourceRequest = {} } = {} } of components) {
    if (replicas <= 0) continue;
    pods += replicas;
    add('pods', quantityOf(replicas));
    for (const name of Object.keys(resourceRequest)) {
      const quantity = parsedQuantity(resourceRequest, name) ?? zeroQuantity;
      add(name, multiplyQuantity(roundedAmount(name, quantity), replicas));
      requested.set(name, (requested.get(name) ?? 0) + amountByFormat(quantity) * replicas);
    }
  }
  return { pods, amounts, requested };
}

/** Returns the share of a workload. One whose requests are malformed counts with nothing: members refuse it. */
function shareOrNone(components: readonly Component[]): Share {
  try {
    return shareOf(components);
  } catch {
    return { pods: 0, amounts: new Map(), requested: new Map() };
  }
}

/** What is assumed to run in one cluster. Each workload is parsed once, and a change of one costs its own requests. */
export class ClusterLoad implements AssumedLoad {
  pods = 0;
  readonly requested = new Map<string, number>();
  readonly #amounts = new Map<string, Quantity>();
  readonly #shares = new Map<AssumedWorkload, Share>();
  #workloads: readonly AssumedWorkload[] | undefined;
  #beside: { readonly of: ResourceSummary; readonly summary: ResourceSummary } | undefined;

  static of(workloads: readonly AssumedWorkload[]): ClusterLoad {
    const load = new ClusterLoad();
    for (const workload of workloads) load.add(workload);
    return load;
  }

  get workloads(): readonly AssumedWorkload[] {
    return (this.#workloads ??= [...this.#shares.keys()]);
  }

  get isEmpty(): boolean {
    return this.#shares.size === 0;
  }

  add(workload: AssumedWorkload): void {
    if (this.#shares.has(workload)) return;
    const share = shareOrNone(workload.components);
    this.#shares.set(workload, share);
    this.#change(share, 1);
  }

  remove(workload: AssumedWorkload): void {
    const share = this.#shares.get(workload);
    if (!share) return;
    this.#shares.delete(workload);
    this.#change(share, -1);
  }

  /** as pkg/estimator/client deductAssumedWorkloadsFromSummary */
  beside(of: ResourceSummary): ResourceSummary {
    if (this.#beside?.of === of) return this.#beside.summary;
    const allocating = { ...of.allocating };
    for (const [name, sum] of this.#amounts)
      allocating[name] = quantityText(addQuantities(parsedQuantity(of.allocating, name) ?? zeroQuantity, sum));
    const summary = { ...of, allocating };
    this.#beside = { of, summary };
    return summary;
  }

  #change({ pods, amounts, requested }: Share, sign: 1 | -1): void {
    this.#workloads = this.#beside = undefined;
    this.pods += sign * pods;
    for (const [name, amount] of amounts) {
      const before = this.#amounts.get(name) ?? zeroQuantity;
      const sum = sign === 1 ? addQuantities(before, amount) : subtractQuantities(before, amount);
      if (quantitySign(sum) === 0) this.#amounts.delete(name);
      else this.#amounts.set(name, sum);
    }
    for (const [name, amount] of requested) {
      const sum = (this.requested.get(name) ?? 0) + sign * amount;
      if (sum === 0) this.requested.delete(name);
      else this.requested.set(name, sum);
    }
  }
}
