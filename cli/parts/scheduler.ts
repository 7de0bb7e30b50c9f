import type { Part } from '../../server/parts.js';
import { createAccurateEstimator } from '../../scheduler/estimators/remote-estimator.js';
import { runScheduler } from '../../scheduler/loop/scheduler.js';
import { componentContext } from '../../client/runtime/component.js';
import { defaultRateLimits } from '../../client/runtime/rate-limiter.js';
import { parseFlags } from '../flags.js';
import { decisionOptions } from './decision-options.js';
import { parseSchedulerSettings, schedulerFlags, type SchedulerSettings } from '../scheduler-flags.js';

/** karmada-scheduler. */
export const scheduler = (
  settings: SchedulerSettings = parseSchedulerSettings(parseFlags(schedulerFlags, []).values),
): Part => ({
  name: 'karmada-scheduler',
  start(part) {
    const context = componentContext(part, 'karmada-scheduler');
    const { featureGates: gates } = part;
    const { schedulerName, rateLimits = defaultRateLimits, estimators } = settings;
    const running = runScheduler(context, {
      ...decisionOptions(gates, settings),
      schedulerName,
      accurateEstimators: estimators ? [createAccurateEstimator(estimators, context)] : [],
      protectsFromOvercommit: gates.SchedulingOvercommitProtection,
      rateLimits: gates.PriorityBasedScheduling ? undefined : rateLimits,
    });
    return Promise.resolve({ stop: () => running });
  },
});
