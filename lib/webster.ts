import { fnv32a } from './hash.js';

export interface Weighted {
  readonly name: string;
  readonly weight: number;
}

interface Party extends Weighted {
  seats: number;
  /** weight / (2 seats + 1): the party with the highest quotient gets the next seat. */
  quotient: number;
}

/**
 * Divides seats by weight with the method of Webster and Sainte-Lague. Ties go to fewer seats, then by name: ascending, or descending when the
 * hash of the uid is odd, so that many small workloads do not all go to the same cluster. The result is sorted by name, and contains every
 * party, also those with 0. as pkg/util/helper AllocateWebsterSeats
 */
export function divideByWeight(
  seats: number,
  parties: readonly Weighted[],
  uid: string,
): { name: string; replicas: number }[] {
  const direction = uid && fnv32a(uid) % 2 === 1 ? -1 : 1;
  const before = (a: Party, b: Party): boolean => {
    if (a.quotient !== b.quotient) return a.quotient > b.quotient;
    if (a.seats !== b.seats) return a.seats < b.seats;
    return (a.name < b.name ? -1 : 1) * direction < 0;
  };
  const byName = new Map<string, Party>();
  for (const { name, weight } of parties) byName.set(name, { name, weight, seats: 0, quotient: weight });
  const heap = [...byName.values()];
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i, before);
  for (let given = 0; given < seats && heap[0]; given++) {
    const first = heap[0];
    first.seats++;
    first.quotient = first.weight / (2 * first.seats + 1);
    sink(heap, 0, before);
  }
  return [...byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, seats: replicas }) => ({ name, replicas }));
}

/** Restores the order of a binary heap below one position. */
function sink<T>(heap: T[], at: number, before: (a: T, b: T) => boolean): void {
  for (let parent = at; ;) {
    let best = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2]) {
      const a = heap[child];
      const b = heap[best];
      if (a !== undefined && b !== undefined && before(a, b)) best = child;
    }
    if (best === parent) return;
    [heap[parent], heap[best]] = [heap[best] as T, heap[parent] as T];
    parent = best;
  }
}
