import type { FeatureGates } from '../../kinds/karmada/feature-gates.js';
import { generalSetEstimator, summarySetEstimator } from '../../scheduler/estimate/component-sets.js';
import { generalEstimator, summaryEstimator } from '../../scheduler/estimate/general.js';
import type { ScheduleOptions } from '../../scheduler/interface.js';
import type { SchedulerSettings } from '../flags/karmada/scheduler.js';

/** The settings of the scheduler that change its decisions. */
export type DecisionSettings = Pick<SchedulerSettings, 'enableEmptyWorkloadPropagation' | 'disabledPlugins'>;

/** Returns what the decisions of the scheduler depend on besides the objects of the API. */
export function decisionOptions(gates: FeatureGates, settings: DecisionSettings): ScheduleOptions {
  const usesModels = gates.CustomizedClusterResourceModeling;
  const setEstimators = [usesModels ? generalSetEstimator : summarySetEstimator];
  const gated = gates.WorkloadAffinity ? [] : ['WorkloadAffinity', 'WorkloadAntiAffinity'];
  return {
    enableEmptyWorkloadPropagation: settings.enableEmptyWorkloadPropagation,
    estimators: [usesModels ? generalEstimator : summaryEstimator],
    setEstimators: gates.MultiplePodTemplatesScheduling ? setEstimators : undefined,
    disabledPlugins: new Set([...settings.disabledPlugins, ...gated]),
  };
}
