import type { BindingSpec } from '../../api/karmada/types.js';
import type { ScheduleOptions } from '../interface.js';

/**
 * Reports whether the components of a workload are placed as a set: all of them in one cluster, which the spread constraints must demand. as
 * pkg/scheduler/core isMultiTemplateSchedulingApplicable
 */
export const isComponentSet = (
  { components, placement }: BindingSpec,
  { setEstimators }: Pick<ScheduleOptions, 'setEstimators'>,
): boolean =>
  setEstimators !== undefined &&
  Boolean(components?.length) &&
  (placement?.spreadConstraints ?? []).some(
    ({ spreadByField, minGroups, maxGroups }) => spreadByField === 'cluster' && minGroups === 1 && maxGroups === 1,
  );
