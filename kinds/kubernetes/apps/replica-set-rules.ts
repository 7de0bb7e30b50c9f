// as pkg/apis/apps/validation ValidateReplicaSet*
import type { Validate } from '../../../registry/interface.js';
import { podTemplate, templateOptions } from '../core/pod-spec/pod-template-rules.js';
import type { PodOptions } from '../core/shared/pod-options.js';
import { podCounts } from '../../shared/rules/counts.js';
import type { Field } from '../../shared/rules/field.js';
import { shownSelector } from '../../shared/go-text/internal-json.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { ReplicaSet } from '../../../api/kubernetes/apps.js';
import type { PodTemplateSpec } from '../../../api/kubernetes/core.js';
import type { LabelSelector } from '../../../api/kubernetes/meta.js';
import { keptSelector, compiled, alwaysRestarts, requiredSelector, selects } from './selector-rules.js';

/** Checks the template of replica sets, and of deployments, which create them. */
export function selectedTemplate(
  spec: Field<{ selector?: LabelSelector; template?: PodTemplateSpec }>,
  options: PodOptions,
): void {
  requiredSelector(spec.at('selector'), 'deployment');
  const selector = compiled(spec.value?.selector);
  if (!selector) {
    spec.at('selector').invalid('invalid label selector', shownSelector(spec.value?.selector));
    return;
  }
  const template = spec.at('template');
  selects(selector, template);
  podTemplate(template, options);
  alwaysRestarts(template, 'ReplicaSet');
}

function spec(set: Field<ReplicaSet>, old: ReplicaSet | undefined): void {
  const at = set.at('spec');
  nonNegative(at.at('replicas'));
  nonNegative(at.at('minReadySeconds'));
  selectedTemplate(at, templateOptions(old?.spec?.template));
}

export const replicaSetRules: readonly Validate[] = [validate<ReplicaSet>(spec)];

export const replicaSetChangeRules: readonly Validate[] = [
  ...replicaSetRules,
  validateChange<ReplicaSet>((set, old) => keptSelector(set.at('spec').at('selector'), old.spec?.selector)),
];

export const replicaSetStatusRules: readonly Validate[] = [validate<ReplicaSet>(set => podCounts(set.at('status')))];
