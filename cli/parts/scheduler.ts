import type { Part } from '../../server/parts.js';
import { generalEstimator } from '../../scheduler/estimate/general.js';
import { runScheduler } from '../../scheduler/loop/scheduler.js';
import { componentContext } from '../../client/runtime/component.js';

/** karmada-scheduler, under the scheduler name that policies have by default. */
export const scheduler = (): Part => ({
  name: 'karmada-scheduler',
  start(part) {
    const context = componentContext(part, 'karmada-scheduler');
    const running = runScheduler(context, {
      schedulerName: 'default-scheduler',
      enableEmptyWorkloadPropagation: false,
      estimators: [generalEstimator],
    });
    return Promise.resolve({ stop: () => running });
  },
});
