import { allocate } from './allocate.js';
import type { PriorityLevel } from './level.js';

/**
 * Divides the seats again: levels with more demand get seats that others do not need, within the limits of lending and borrowing. To be
 * called every ten seconds, and when the plan changes. Returns the fraction of its target that each level without a reached bound got.
 */
// as apiserver/pkg/util/flowcontrol/apf_controller.go updateBorrowingLocked
export function borrow(levels: readonly PriorityLevel[], now: number): number {
  const limited = levels.filter(({ plan }) => !plan.exempt);
  const total = levels.reduce((sum, { plan }) => sum + plan.nominal, 0);
  let left = total;
  for (const level of levels) {
    level.observe(now);
    if (level.plan.exempt) left -= level.floor;
    else level.target = Math.max(level.floor, level.smoothed);
  }
  const minimum = limited.reduce((sum, { plan }) => sum + plan.minSeats, 0);
  const floors = limited.reduce((sum, level) => sum + level.floor, 0);
  if (left <= minimum) {
    for (const level of limited) level.set.limit = level.plan.minSeats;
    return 0;
  }
  if (left <= floors) {
    const part = (left - minimum) / (floors - minimum);
    for (const { set, plan, floor } of limited) set.limit = plan.minSeats + Math.round((floor - plan.minSeats) * part);
    return 0;
  }
  const claims = limited.map(({ floor, plan, target }) => ({ lower: floor, upper: plan.maxSeats, target }));
  const { seats, fraction } = allocate(total, claims);
  for (const [i, level] of limited.entries()) level.set.limit = Math.round(seats[i] ?? 0);
  return fraction;
}
