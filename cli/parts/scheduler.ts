import type { Part } from '../../server/parts.js';
import { runScheduler } from '../../scheduler/loop/scheduler.js';
import { componentContext } from '../../client/runtime/component.js';
import { defaultRateLimits } from '../../client/runtime/rate-limiter.js';
import { parseFlags } from '../flags/flags.js';
import { decisionOptions } from './decision-options.js';
import type { MemberEstimators } from './member-estimators.js';
import { parseSchedulerSettings, schedulerFlags, type SchedulerSettings } from '../flags/karmada/scheduler.js';

/** karmada-scheduler. `estimators`: absent if no members are asked. */
export const scheduler = (
  settings: SchedulerSettings = parseSchedulerSettings(parseFlags(schedulerFlags, []).values),
  estimators?: MemberEstimators,
): Part => ({
  name: 'karmada-scheduler',
  start(part) {
    const context = componentContext(part, 'karmada-scheduler');
    const { featureGates: gates } = part;
    const { schedulerName, rateLimits = defaultRateLimits } = settings;
    const use = estimators?.use();
    const running = runScheduler(context, {
      ...decisionOptions(gates, settings),
      schedulerName,
      accurateEstimators: use ? [use.estimator] : [],
      protectsFromOvercommit: gates.SchedulingOvercommitProtection,
      rateLimits: gates.PriorityBasedScheduling ? undefined : rateLimits,
    });
    return Promise.resolve({ stop: () => running.finally(() => use?.end()) });
  },
});
