// as pkg/apis/core/validation ValidateReplicationController*
import { shownMap } from '../../shared/go-text/internal-json.js';
import type { Validate } from '../../../registry/interface.js';
import { podCounts } from '../../shared/rules/counts.js';
import type { Field } from '../../shared/rules/field.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate } from '../../shared/rules/validate.js';
import type { ReplicationController, ReplicationControllerSpec } from '../../../api/kubernetes/core.js';
import { podTemplate, templateOptions } from './pod-spec/pod-template-rules.js';

function template(spec: Field<ReplicationControllerSpec>, old: ReplicationController | undefined): void {
  const field = spec.at('template');
  if (!field.isSet) {
    field.required();
    return;
  }
  const labels = field.value?.metadata?.labels;
  if (Object.entries(spec.value?.selector ?? {}).some(([name, value]) => labels?.[name] !== value))
    field.at('metadata').at('labels').invalid('`selector` does not match template `labels`', shownMap(labels));
  podTemplate(field, templateOptions(old?.spec?.template));
  const policy = field.at('spec').at('restartPolicy');
  if (policy.value !== 'Always') policy.notSupported(['Always']);
  const deadline = field.at('spec').at('activeDeadlineSeconds');
  if (deadline.isSet) deadline.forbidden('activeDeadlineSeconds in ReplicationController is not Supported');
}

export const replicationControllerRules: readonly Validate[] = [
  validate<ReplicationController>((controller, old) => {
    const spec = controller.at('spec');
    nonNegative(spec.at('minReadySeconds'));
    if (spec.at('selector').isEmpty) spec.at('selector').required();
    if (spec.at('replicas').isSet) nonNegative(spec.at('replicas'));
    else spec.at('replicas').required();
    template(spec, old);
  }),
];

export const replicationControllerStatusRules: readonly Validate[] = [
  validate<ReplicationController>(controller => podCounts(controller.at('status'))),
];
