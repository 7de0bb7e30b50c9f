/** Validates pod templates in the kinds that create pods. */
// as pkg/apis/core/validation ValidatePodTemplateSpec
import { labelFaults } from '../../../../apimachinery/selectors/label-faults.js';
import { annotationFaults } from '../../../../registry/strategy/metadata.js';
import type { Field } from '../../../shared/rules/field.js';
import type { PodSpec, PodTemplateSpec } from '../../../../api/kubernetes/core.js';
import { annotationsMatchFields, podAnnotations } from './pod-annotation-rules.js';
import { createKnownSpecs } from './known-specs.js';
import { type PodOptions, strictPod } from '../shared/pod-options.js';
import { podOptions } from './stored-pod-options.js';
import { podSpec } from './pod-spec-rules.js';

/** Errors of metadata are reported at `labels` and `annotations` of the template itself, as upstream has it. */
export function podTemplate(template: Field<PodTemplateSpec>, options: PodOptions): void {
  const metadata = template.at('metadata');
  const spec = template.at('spec');
  const annotations = metadata.at('annotations').named(template, 'annotations');
  template.add(...labelFaults(metadata.value?.labels, metadata.at('labels').named(template, 'labels')));
  template.add(...annotationFaults(annotations.value, annotations));
  podAnnotations(annotations, spec.value ?? {}, options);
  templateSpec(spec, options);
  annotationsMatchFields(metadata.value, spec);
  if (!spec.at('ephemeralContainers').isEmpty)
    spec.at('ephemeralContainers').forbidden('ephemeral containers not allowed in pod template');
}

const validateOnce = createKnownSpecs('rules');

function templateSpec(spec: Field<PodSpec>, options: PodOptions): void {
  validateOnce(spec.value ?? {}, optionDigits(options), () => {
    const before = spec.faults.length;
    podSpec(spec, options);
    return spec.faults.length === before;
  });
}

/** Returns a digit for each option. */
function optionDigits(options: PodOptions): string {
  let text = '';
  for (const name in strictPod) text += options[name as keyof PodOptions] ? '1' : '0';
  return text;
}

/** Returns the options for the template that is replaced, if there is one. */
export function templateOptions(old: PodTemplateSpec | undefined): PodOptions {
  return podOptions(false, old);
}
