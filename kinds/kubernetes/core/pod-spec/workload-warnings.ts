/** Warnings for kinds that create pods from a template: about the name of a new object, and about the template whenever it changes. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { type Warn, hostnameWarning, podNames, warnings } from '../../../shared/rules/warnings.js';
import type { PodTemplateSpec } from '../../../../api/kubernetes/core.js';
import { templateWarnings } from './pod-warnings.js';

type Workload = KubeObject & { spec?: { template?: PodTemplateSpec } };

/** Warns about a template that is new or has changed. It counts as changed when the generation changes. */
export function changedTemplateWarnings(
  object: Field<KubeObject>,
  template: Field<PodTemplateSpec>,
  warn: Warn,
  old: KubeObject | undefined,
): void {
  if (!old || old.metadata.generation !== object.value?.metadata.generation) templateWarnings(template, warn);
}

const templateOf = (object: Field<Workload>): Field<PodTemplateSpec> => object.at('spec').at('template');

export const namedWorkloadWarnings = warnings<Workload>((object, warn, old) => {
  if (!old) hostnameWarning(object.value?.metadata.name, podNames, warn);
  changedTemplateWarnings(object, templateOf(object), warn, old);
});

export const workloadWarnings = warnings<Workload>((object, warn, old) => {
  changedTemplateWarnings(object, templateOf(object), warn, old);
});
