import { heapify, sink } from './collections/heap.js';
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
  const first = giveInBulk(seats, heap);
  heapify(heap, before);
  for (let given = first; given < seats && heap[0]; given++) {
    const next = heap[0];
    next.seats++;
    next.quotient = quotientOf(next);
    sink(heap, 0, before);
  }
  return [...byName.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, seats: replicas }) => ({ name, replicas }));
}

const quotientOf = ({ weight, seats }: Party): number => weight / (2 * seats + 1);

/**
 * Gives all seats at once, except for about one per party, and returns their number. Seats with quotients above a bound come before all others,
 * so their order does not matter. Seat by seat, two billion replicas would take minutes.
 */
function giveInBulk(seats: number, parties: readonly Party[]): number {
  const total = parties.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  if (parties.length === 0 || 2 * seats <= parties.length) return 0;
  if (total === 0) return giveEvenly(seats, parties);
  let given = Infinity;
  // Rounding may give too many at the first bound.
  for (let bound = total / (2 * seats - parties.length); given > seats; bound *= 2) {
    for (const party of parties) party.seats = seatsAbove(bound, party.weight);
    given = parties.reduce((sum, party) => sum + party.seats, 0);
  }
  for (const party of parties) party.quotient = quotientOf(party);
  return given;
}

/** Parties without weight take turns. */
function giveEvenly(seats: number, parties: readonly Party[]): number {
  const each = Math.floor(seats / parties.length);
  for (const party of parties) party.seats = each;
  return each * parties.length;
}

/** Returns for how many seats the quotient of a weight, rounded as in the comparison of parties, is above a bound. */
function seatsAbove(bound: number, weight: number): number {
  let seats = Math.max(0, Math.floor((weight / bound + 1) / 2));
  while (seats > 0 && weight / (2 * seats - 1) <= bound) seats--;
  while (weight / (2 * seats + 1) > bound) seats++;
  return seats;
}
