/** Validates counters in statuses of workloads. */
import type { Field } from './field.js';
import { nonNegative } from './numbers.js';

/** No counter may be negative. */
export function countsAreNatural<T>(status: Field<T>, names: readonly (keyof NonNullable<T> & string)[]): void {
  for (const name of names) nonNegative(status.at(name) as unknown as Field<number>);
}

/** No counter may exceed the counter `max`. `as`: its name in the text. */
export function countsWithin<T>(
  status: Field<T>,
  names: readonly (keyof NonNullable<T> & string)[],
  max: keyof NonNullable<T> & string,
  as: string,
): void {
  const limit = Number(status.at(max).value ?? 0);
  for (const name of names) {
    const field = status.at(name) as unknown as Field<number>;
    const count = field.value ?? 0;
    if (count > limit) field.invalid(`cannot be greater than ${as}`, count);
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
export function countsAmongPods<T extends PodCounts>(status: Field<T>, names: readonly (keyof T & string)[]): void {
  const counts = status as unknown as Field<PodCounts>;
  countsWithin(
    counts,
    [...(names as (keyof PodCounts)[]), 'readyReplicas', 'availableReplicas'],
    'replicas',
    'status.replicas',
  );
  countsWithin(counts, ['availableReplicas'], 'readyReplicas', 'readyReplicas');
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
