/** Validates counters in statuses of workloads. */
import type { Field } from './field.js';
import { nonNegative } from './numbers.js';

/** A status with the counters K. */
type Counters<K extends string> = Readonly<Partial<Record<K, number>>>;

/** No counter may be negative. */
export function countsAreNatural<K extends string>(status: Field<Counters<K>>, names: readonly K[]): void {
  const counters: Field<Counters<string>> = status;
  for (const name of names) nonNegative(counters.at(name));
}

/** No counter may exceed the counter `max`. `as`: its name in the text. */
export function countsWithin<K extends string>(
  status: Field<Counters<K>>,
  names: readonly K[],
  max: K,
  as: string,
): void {
  const counters: Field<Counters<string>> = status;
  const limit = counters.at(max).value ?? 0;
  for (const name of names) {
    const counter = counters.at(name);
    const count = counter.value ?? 0;
    if (count > limit) counter.invalid(`cannot be greater than ${as}`, count);
  }
}

interface PodCounts {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

/** No count may exceed the number of all pods, and available pods must be ready. */
export function countsAmongPods<K extends string>(status: Field<PodCounts & Counters<K>>, names: readonly K[]): void {
  const counters: Field<Counters<string>> = status;
  countsWithin(counters, [...names, 'readyReplicas', 'availableReplicas'], 'replicas', 'status.replicas');
  countsWithin(counters, ['availableReplicas'], 'readyReplicas', 'readyReplicas');
}

interface LabelledPodCounts extends PodCounts {
  readonly fullyLabeledReplicas?: number;
}

/** Validates the counters of kinds that maintain a number of pods of one template. */
export function podCounts(status: Field<LabelledPodCounts>): void {
  countsAreNatural(status, [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ]);
  countsAmongPods(status, ['fullyLabeledReplicas']);
}

/** Reports `cannot be decremented` for a counter that is smaller than the old one, or unset. */
export function notDecremented(count: Field<number>, old: number | undefined): void {
  if (old !== undefined && (count.value === undefined || count.value < old))
    count.invalid('cannot be decremented', count.value ?? 0);
}
