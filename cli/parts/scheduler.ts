import type { Part } from '../../server/parts.js';
import { generalSetEstimator, summarySetEstimator } from '../../scheduler/estimate/component-sets.js';
import { generalEstimator, summaryEstimator } from '../../scheduler/estimate/general.js';
import { runScheduler } from '../../scheduler/loop/scheduler.js';
import { componentContext } from '../../client/runtime/component.js';

/** karmada-scheduler, under the scheduler name that policies have by default. */
export const scheduler = (): Part => ({
  name: 'karmada-scheduler',
  start(part) {
    const context = componentContext(part, 'karmada-scheduler');
    const { featureGates: gates } = part;
    const usesModels = gates.CustomizedClusterResourceModeling;
    const running = runScheduler(context, {
      schedulerName: 'default-scheduler',
      enableEmptyWorkloadPropagation: false,
      estimators: [usesModels ? generalEstimator : summaryEstimator],
      setEstimators: gates.MultiplePodTemplatesScheduling
        ? [usesModels ? generalSetEstimator : summarySetEstimator]
        : undefined,
      disabledPlugins: new Set(gates.WorkloadAffinity ? [] : ['WorkloadAffinity', 'WorkloadAntiAffinity']),
      hasPriorities: gates.PriorityBasedScheduling,
    });
    return Promise.resolve({ stop: () => running });
  },
});
