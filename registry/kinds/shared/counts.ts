/** Counters in statuses of workloads. */
import type { Field } from './field.js';
import { nonNegative } from './numbers.js';

/** None of them is negative. */
export function countsAreNatural<T>(status: Field<T>, names: readonly (keyof NonNullable<T> & string)[]): void {
  for (const name of names) nonNegative(status.at(name) as unknown as Field<number>);
}

/** None of them is more than the other. `as`: how the text calls the other. */
export function countsWithin<T>(
  status: Field<T>,
  names: readonly (keyof NonNullable<T> & string)[],
  most: keyof NonNullable<T> & string,
  as: string,
): void {
  const limit = Number(status.at(most).value ?? 0);
  for (const name of names) {
    const field = status.at(name) as unknown as Field<number>;
    const count = field.value ?? 0;
    if (count > limit) field.invalid(`cannot be greater than ${as}`, count);
  }
}

interface PodCounts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly terminatingReplicas?: number;
}

/** Of what keeps a number of pods: the pods that something is true of are among them. */
export function podCounts(status: Field<PodCounts>): void {
  countsAreNatural(status, [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ]);
  countsWithin(status, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], 'replicas', 'status.replicas');
  countsWithin(status, ['availableReplicas'], 'readyReplicas', 'readyReplicas');
}

export function notDecremented(count: Field<number>, old: number | undefined): void {
  if (old !== undefined && (count.value === undefined || count.value < old))
    count.invalid('cannot be decremented', count.value ?? 0);
}
