/** Sums of the requests of pods, kept so that a change of a pod costs only the pods of its group. */
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOf,
  zeroQuantity,
} from '../../apimachinery/quantity/quantity.js';
import { addAmount } from '../../apimachinery/quantity/amounts.js';
import type { ResourceList } from '../../api/karmada/types.js';
import { roundedAmount } from '../../kinds/karmada/quota/counted-amount.js';
import { eachInTurns } from '../../lib/time-slice.js';
import type { InterpretedPodSpec } from '../interpreter/native/pod.js';
import { quantitiesOf } from '../interpreter/native/requirements.js';

/** Maximum number of distinct resource names over all nodes or pods of a cluster. */
const maxNames = 1000;

/** Throws if there are more resource names than a summary may have: a member chooses the names. */
export function requireFewNames({ size }: { readonly size: number }): void {
  if (size > maxNames) throw new Error(`the cluster has more than ${maxNames} kinds of resources`);
}

/**
 * What pods do to the sum of one resource: they add an amount, but the sum is at least `least` afterwards. A minimum is what an init container
 * requests. It counts for the sum so far, not for its pod, so that the order of pods matters. as pkg/util Resource.AddPodRequest
 */
interface Effect {
  readonly add: Quantity;
  readonly least?: Quantity;
}

/** Effects by resource. */
export type Requests = ReadonlyMap<string, Effect>;

const larger = (a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined =>
  a && b ? (compareQuantities(b, a) > 0 ? b : a) : (a ?? b);

/** Returns the effect of `first` and then `next`. */
const combined = (first: Effect, next: Effect): Effect => {
  const least = larger(first.least && addQuantities(first.least, next.add), next.least);
  return { add: addQuantities(first.add, next.add), ...(least && { least }) };
};

function append(into: Map<string, Effect>, requests: Requests): void {
  for (const [name, effect] of requests) {
    const before = into.get(name);
    into.set(name, before ? combined(before, effect) : effect);
  }
}

/** Returns the requests of a pod, every amount rounded before it is added. Throws if a quantity is malformed, or if there are too many resources. */
export function podRequests({ containers = [], initContainers = [], overhead = {} }: InterpretedPodSpec): Requests {
  const requests = new Map<string, Effect>();
  const step = (list: ResourceList | undefined, effectOf: (amount: Quantity) => Effect): void => {
    for (const [name, text] of Object.entries(list ?? {}))
      append(requests, new Map([[name, effectOf(roundedAmount(name, parseQuantity(text)))]]));
  };
  for (const { resources } of containers) step(resources?.requests, add => ({ add }));
  for (const { resources } of initContainers) step(resources?.requests, least => ({ add: zeroQuantity, least }));
  step(overhead, add => ({ add }));
  requireFewNames(requests);
  return requests;
}

/** Returns effects on an empty sum as the API shows them, with the number of pods as a resource. */
function listOf(requests: Requests, pods: number): ResourceList {
  const total = new Map<string, Quantity>();
  for (const [name, { add, least }] of requests) total.set(name, larger(add, least) ?? add);
  addAmount(total, 'pods', quantityOf(pods));
  return quantitiesOf(total);
}

/** The pods of one node, or of one namespace. */
export class PodGroup {
  readonly #pods = new Map<string, Requests>();
  #combined: Requests | undefined;

  get size(): number {
    return this.#pods.size;
  }

  get(key: string): Requests | undefined {
    return this.#pods.get(key);
  }

  set(key: string, requests: Requests): void {
    this.#pods.set(key, requests);
    this.#combined = undefined;
  }

  delete(key: string): void {
    this.#pods.delete(key);
    this.#combined = undefined;
  }

  /** Returns the requests of all its pods, in time slices. Rejects if there are too many resources. The pods must not change meanwhile. */
  async requests(): Promise<Requests> {
    return (this.#combined ??= await combinedInTurns(this.#pods.values()));
  }

  /** Returns the sum in the form of the API. */
  async list(): Promise<ResourceList> {
    return listOf(await this.requests(), this.size);
  }
}

async function combinedInTurns(items: Iterable<Requests>): Promise<Requests> {
  const all = new Map<string, Effect>();
  await eachInTurns(items, requests => {
    append(all, requests);
    requireFewNames(all);
  });
  return all;
}

/** The pods of a cluster that count for one sum, in groups. */
export class PodSum {
  readonly #groups = new Map<string, PodGroup>();
  #list: ResourceList | undefined;
  #pods = 0;

  group(name: string): PodGroup | undefined {
    return this.#groups.get(name);
  }

  /** Returns whether the sum may have changed. Most changes of a pod do not change its requests. */
  set(name: string, key: string, requests: Requests): boolean {
    let group = this.#groups.get(name);
    if (group?.get(key) === requests) return false;
    if (!group) this.#groups.set(name, (group = new PodGroup()));
    const before = group.size;
    group.set(key, requests);
    this.#pods += group.size - before;
    this.#list = undefined;
    return true;
  }

  delete(name: string, key: string): void {
    const group = this.#groups.get(name);
    if (!group) return;
    const before = group.size;
    group.delete(key);
    this.#pods += group.size - before;
    if (group.size === 0) this.#groups.delete(name);
    this.#list = undefined;
  }

  /** Returns the sum in the form of the API, computed from the groups that have changed. See `PodGroup.requests`. */
  async list(): Promise<ResourceList> {
    if (this.#list) return this.#list;
    const all: Requests[] = [];
    for (const group of this.#groups.values()) all.push(await group.requests());
    return (this.#list = listOf(await combinedInTurns(all), this.#pods));
  }
}
