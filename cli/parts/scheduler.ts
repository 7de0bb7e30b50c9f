import type { Part, PartContext } from '../../server/parts.js';
import type { AccurateEstimator, EstimatorSettings } from '../../scheduler/interface.js';
import { runScheduler } from '../../scheduler/loop/scheduler.js';
import { componentContext } from '../../client/runtime/component.js';
import { defaultRateLimits } from '../../client/runtime/rate-limiter.js';
import { parseFlags } from '../flags.js';
import { decisionOptions } from './decision-options.js';
import { parseSchedulerSettings, schedulerFlags, type SchedulerSettings } from '../scheduler-flags.js';

/** Creates the estimator that asks members. */
export type CreateEstimator = (part: PartContext, settings: EstimatorSettings) => AccurateEstimator;

/** karmada-scheduler. */
export const scheduler = (
  settings: SchedulerSettings = parseSchedulerSettings(parseFlags(schedulerFlags, []).values),
  createEstimator?: CreateEstimator,
): Part => ({
  name: 'karmada-scheduler',
  start(part) {
    const context = componentContext(part, 'karmada-scheduler');
    const { featureGates: gates } = part;
    const { schedulerName, rateLimits = defaultRateLimits, estimators } = settings;
    const running = runScheduler(context, {
      ...decisionOptions(gates, settings),
      schedulerName,
      accurateEstimators: estimators && createEstimator ? [createEstimator(part, estimators)] : [],
      protectsFromOvercommit: gates.SchedulingOvercommitProtection,
      rateLimits: gates.PriorityBasedScheduling ? undefined : rateLimits,
    });
    return Promise.resolve({ stop: () => running });
  },
});
