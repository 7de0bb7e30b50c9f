import { allocate } from './allocate.js';
import type { Level } from './level.js';

/**
 * Shares the seats out anew: levels that want more get what others do not need, within what each lends and may borrow. To be called
 * every ten seconds, and when the plan changes. Returns the fraction of its target that a level got that met no bound.
 */
// as apiserver/pkg/util/flowcontrol/apf_controller.go updateBorrowingLocked
export function borrow(levels: readonly Level[], now: number): number {
  const limited = levels.filter(({ plan }) => !plan.exempt);
  const total = levels.reduce((sum, { plan }) => sum + plan.nominal, 0);
  let left = total;
  for (const level of levels) {
    level.observe(now);
    if (level.plan.exempt) left -= level.floor;
    else level.target = Math.max(level.floor, level.smoothed);
  }
  const least = limited.reduce((sum, { plan }) => sum + plan.least, 0);
  const floors = limited.reduce((sum, level) => sum + level.floor, 0);
  if (left <= least) {
    for (const level of limited) level.set.limit = level.plan.least;
    return 0;
  }
  if (left <= floors) {
    const part = (left - least) / (floors - least);
    for (const { set, plan, floor } of limited) set.limit = plan.least + Math.round((floor - plan.least) * part);
    return 0;
  }
  const claims = limited.map(({ floor, plan, target }) => ({ lower: floor, upper: plan.most, target }));
  const { seats, fraction } = allocate(total, claims);
  for (const [i, level] of limited.entries()) level.set.limit = Math.round(seats[i] ?? 0);
  return fraction;
}
