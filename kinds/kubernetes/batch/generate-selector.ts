import type { Prepare } from '../../../registry/interface.js';
import type { Job } from '../../../api/kubernetes/batch.js';

const prefix = 'batch.kubernetes.io/';

/** Unless its selector is manual, a job selects the pods that have its uid, and labels them with it. */
// as pkg/registry/batch/job generateSelectorIfNeeded
export const generateSelector: Prepare = draft => {
  const { metadata, spec = {} } = draft as Job;
  if (spec.manualSelector) return;
  const { uid = '', name = '' } = metadata;
  const template = (spec.template ??= {});
  const labels = ((template.metadata ??= {}).labels ??= {});
  // Labels that the user set under these names are refused by validation.
  labels['job-name'] ??= name;
  labels[`${prefix}job-name`] ??= name;
  labels['controller-uid'] ??= uid;
  labels[`${prefix}controller-uid`] ??= uid;
  const selector = (spec.selector ??= {});
  const wanted = (selector.matchLabels ??= {});
  wanted[`${prefix}controller-uid`] ??= uid;
};
