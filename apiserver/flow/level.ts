/** A priority level as it runs: its plan, its seats, and what it has seen. */
import type { LevelPlan } from './plan.js';
import { QueueSet } from './queue-set.js';
import { type RetryAfter, retryAfter } from './retry-after.js';

/** as apiserver/pkg/util/flowcontrol/apf_controller.go seatDemandSmoothingCoefficient: half is forgotten in five minutes */
const smoothing = 0.977;

export class Level {
  plan: LevelPlan;
  readonly set: QueueSet;
  readonly retryAfter: RetryAfter = retryAfter();
  /** Seats that it wanted since the last adjustment at most, on average, and how far it went from that. */
  demand = { most: 0, average: 0, deviation: 0 };
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
    this.set.limit = plan.exempt ? Infinity : plan.nominal - Math.floor((plan.nominal - plan.least) / 2);
  }

  replan(plan: LevelPlan): void {
    this.plan = plan;
    this.set.configure(plan.queuing);
  }

  /** Takes stock of the time since the last call. */
  observe(now: number): void {
    this.demand = this.set.demand.take(now);
    const envelope = this.demand.average + this.demand.deviation;
    this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
  }

  /** What it must have for the next while: what it wanted at most, within its own seats. */
  get floor(): number {
    const { exempt, least, nominal } = this.plan;
    return Math.max(least, exempt ? this.demand.most : Math.min(nominal, this.demand.most));
  }
}
