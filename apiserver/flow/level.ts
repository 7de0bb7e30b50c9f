/** A priority level at run time: its plan, its seats and its statistics. */
import type { LevelPlan } from './plan.js';
import { QueueSet } from './queue-set.js';
import { type RetryAfter, retryAfter } from './retry-after.js';

/** as apiserver/pkg/util/flowcontrol/apf_controller.go seatDemandSmoothingCoefficient: a past value loses half of its weight in five minutes */
const smoothing = 0.977;

export class PriorityLevel {
  plan: LevelPlan;
  readonly set: QueueSet;
  readonly retryAfter: RetryAfter = retryAfter();
  /** The demand in the last period: maximum, average and standard deviation of the seats. */
  demand = { max: 0, average: 0, deviation: 0 };
  smoothed = 0;
  target = 0;
  dispatched = 0;
  rejected = 0;
  timedOut = 0;
  cancelled = 0;

  constructor(plan: LevelPlan, clock: () => number) {
    this.plan = plan;
    this.set = new QueueSet(clock);
    this.replan(plan);
    this.set.limit = plan.exempt ? Infinity : plan.nominal - Math.floor((plan.nominal - plan.minSeats) / 2);
  }

  replan(plan: LevelPlan): void {
    this.plan = plan;
    this.set.configure(plan.queuing);
  }

  /** Updates the statistics with the time since the last call. `now`: milliseconds. */
  observe(now: number): void {
    this.demand = this.set.demand.take(now);
    const envelope = this.demand.average + this.demand.deviation;
    this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
  }

  /** The minimum of seats for the next period: its maximum demand, within its nominal seats. */
  get floor(): number {
    const { exempt, minSeats, nominal } = this.plan;
    return Math.max(minSeats, exempt ? this.demand.max : Math.min(nominal, this.demand.max));
  }
}
