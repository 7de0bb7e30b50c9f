/** Divides the seats of a server among its priority levels for the next period. */

interface Claim {
  /** The minimum and maximum number of seats. */
  readonly lower: number;
  readonly upper: number;
  /** The wanted number of seats; at least `lower`. */
  readonly target: number;
}

interface Allocation {
  readonly seats: readonly number[];
  /** The seats of each claim that is not limited by a bound, as a fraction of its target. */
  readonly fraction: number;
}

const minTarget = 0.001;
const steps = 100;

const clamp = ({ lower, upper, target }: Claim, fraction: number): number =>
  Math.max(lower, Math.min(upper, Math.max(target, minTarget) * fraction));

/**
 * Returns seats that add up to `total`: each claim gets the same fraction of its target, within its bounds; all get their lower or all their
 * upper bounds when these exceed `total` or do not reach it. The sum grows with the fraction, so the fraction is found by bisection.
 */
// as apiserver/pkg/util/flowcontrol/conc_alloc.go computeConcurrencyAllocation
export function allocate(total: number, claims: readonly Claim[]): Allocation {
  const seatsAt = (fraction: number): number[] => claims.map(claim => clamp(claim, fraction));
  const sum = (seats: readonly number[]): number => seats.reduce((all, one) => all + one, 0);
  let low = 0;
  let high = Math.max(0, ...claims.map(({ upper, target }) => upper / Math.max(target, minTarget)));
  if (sum(seatsAt(low)) >= total) return { seats: seatsAt(low), fraction: low };
  if (sum(seatsAt(high)) <= total) return { seats: seatsAt(high), fraction: high };
  for (let i = 0; i < steps; i++) {
    const middle = (low + high) / 2;
    if (sum(seatsAt(middle)) < total) low = middle;
    else high = middle;
  }
  return { seats: seatsAt(high), fraction: high };
}
