import type { Prepare } from '../../../registry/interface.js';
import type { Job } from '../../../api/kubernetes/batch.js';

const prefix = 'batch.kubernetes.io/';

/** Unless it selects by hand, a job selects the pods that carry its uid, and labels them so. */
// as pkg/registry/batch/job generateSelectorIfNeeded
export const generateSelector: Prepare = draft => {
  const { metadata, spec = {} } = draft as Job;
  if (spec.manualSelector) return;
  const { uid = '', name = '' } = metadata;
  const template = (spec.template ??= {});
  const labels = ((template.metadata ??= {}).labels ??= {});
  // Own labels of the names that are used here show up as faults of validation.
  labels['job-name'] ??= name;
  labels[`${prefix}job-name`] ??= name;
  labels['controller-uid'] ??= uid;
  labels[`${prefix}controller-uid`] ??= uid;
  const selector = (spec.selector ??= {});
  const wanted = (selector.matchLabels ??= {});
  wanted[`${prefix}controller-uid`] ??= uid;
};
