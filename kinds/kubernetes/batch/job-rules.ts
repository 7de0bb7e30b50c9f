// as pkg/apis/batch/validation ValidateJob, ValidateJobUpdate
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import { labelSelectorFaults } from '../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../apimachinery/selectors/label-selectors.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { compiled } from '../apps/selector-rules.js';
import type { PodOptions } from '../core/shared/pod-options.js';
import { podForm, templateForm } from '../core/pods/pod-form.js';
import { templateOptions } from '../core/pod-spec/pod-template-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal, shownMap, shownSelector } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { Job, JobSpec } from '../../../api/kubernetes/batch.js';
import type { Affinity, PodSpec, PodTemplateSpec } from '../../../api/kubernetes/core.js';
import { jobSpec } from './job-spec-rules.js';
import { controllerUidLabel, jobNameLabel } from '../../../api/kubernetes/well-known.js';

interface JobOptions {
  readonly pod: PodOptions;
  readonly allowBadSelector: boolean;
  /** Whether the labels with a domain are required too. */
  readonly prefixedLabels: boolean;
}

function optionsOf(old: Job | undefined): JobOptions {
  const labels = old?.spec?.template?.metadata?.labels ?? {};
  const selector = old?.spec?.selector as LabelSelector | undefined;
  return {
    pod: templateOptions(old?.spec?.template),
    allowBadSelector: labelSelectorFaults(selector, '').some(fault => fault.path.includes('values')),
    prefixedLabels: !old || (labels[controllerUidLabel] !== undefined && labels[jobNameLabel] !== undefined),
  };
}

/** Unless its selector is manual, the labels and the selector must be the generated ones. */
function generatedSelector(job: Field<Job>, { prefixedLabels }: JobOptions): void {
  const spec = job.at('spec');
  const { uid = '', name = '' } = job.value?.metadata ?? {};
  if (spec.value?.manualSelector || !spec.value?.selector) return;
  if (uid === '') job.at('metadata').at('uid').required();
  const labels: Field<Record<string, string>> = spec.at('template').at('metadata').at('labels');
  const expected: Record<string, string> = {};
  const expect = (key: string, value: string): void => {
    expected[key] = value;
    const label = labels.entry(key);
    if (!label.isSet) label.required(`must be '${value}'`);
    else if (label.value !== value) label.invalid(`must be '${value}'`, shownMap(labels.value));
  };
  expect('controller-uid', uid);
  expect('job-name', name);
  if (prefixedLabels) {
    expect(controllerUidLabel, uid);
    expect(jobNameLabel, name);
  }
  if (compiled(spec.value.selector)?.matches(expected) === false)
    spec.at('selector').invalid('`selector` not auto-generated', shownSelector(spec.value.selector));
}

function specWithSelector(spec: Field<JobSpec>, options: JobOptions): void {
  jobSpec(spec, options.pod);
  const selector = spec.at('selector');
  if (!selector.isSet) selector.required();
  else
    spec.add(
      ...labelSelectorFaults(selector.value as LabelSelector, selector.path, {
        allowInvalidValues: options.allowBadSelector || options.pod.allowBadAffinitySelectors,
      }),
    );
  const labels = spec.at('template').at('metadata').at('labels');
  if (compiled(selector.value)?.matches(labels.value) === false)
    labels.invalid('`selector` does not match template `labels`', shownMap(labels.value));
}

function whole(job: Field<Job>, old: Job | undefined): void {
  const options = optionsOf(old);
  generatedSelector(job, options);
  specWithSelector(job.at('spec'), options);
  const { completionMode, completions = 0 } = job.value?.spec ?? {};
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const name = job.value?.metadata.name ?? '';
  const hostname = `${name}-${completions - 1}`;
  if (checkDns1123Label(hostname).length > 0)
    job.at('metadata').at('name').invalid(`will not able to create pod with invalid DNS label: ${hostname}`, name);
}

export const jobRules: readonly Validate[] = [validate<Job>(whole)];

export const jobChangeRules: readonly Validate[] = [
  ...jobRules,
  validateChange<Job>((job, old) => {
    const spec = job.at('spec');
    const before = old.spec ?? {};
    specWithSelector(spec, optionsOf(old));
    completions(spec, before);
    immutable(spec.at('selector'), before.selector, () => shownSelector(spec.value?.selector));
    template(spec, old);
    immutable(spec.at('completionMode'), before.completionMode);
    const policy = spec.at('podFailurePolicy');
    immutable(policy, before.podFailurePolicy, () => shownInternal('*PodFailurePolicy', policy.value));
    immutable(spec.at('backoffLimitPerIndex'), before.backoffLimitPerIndex);
    immutable(spec.at('managedBy'), before.managedBy);
    const success = spec.at('successPolicy');
    immutable(success, before.successPolicy, () => shownInternal('*SuccessPolicy', success.value));
  }),
];

/** Completions of an indexed job can change only together with parallelism. */
function completions(spec: Field<JobSpec>, before: JobSpec): void {
  const field = spec.at('completions');
  if (spec.value?.completionMode !== 'Indexed') immutable(field, before.completions);
  else if (field.isSet && field.value !== before.completions && field.value !== spec.value.parallelism)
    field.invalid('can only be modified in tandem with spec.parallelism');
}

/** While a job is suspended and its pods are gone, the resources and the scheduling of its pods can be changed. */
// as pkg/registry/batch/job shouldAllowMutablePodTemplate
function isTemplateMutable(old: Job): boolean {
  if (!old.spec?.suspend || old.status?.active) return false;
  return old.status?.startTime === undefined || isConditionTrue(old.status.conditions, 'Suspended');
}

function template(spec: Field<JobSpec>, old: Job): void {
  const field = spec.at('template');
  const open = isTemplateMutable(old);
  const next = field.value ?? {};
  const before = open ? withDirectivesOf(old.spec?.template ?? {}, next) : old.spec?.template;
  if (!open) {
    immutable(field, before, () => shownInternal('PodTemplateSpec', templateForm(field.value)));
    return;
  }
  const pod = field.at('spec').named(spec, 'template.spec');
  immutable(pod, withResourcesOf(before?.spec ?? {}, pod.value ?? {}), () =>
    shownInternal('PodSpec', podForm(pod.value)),
  );
}

function withDirectivesOf(before: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  const merged = structuredClone(before);
  const spec: PodSpec = (merged.spec ??= {});
  const wanted = next.spec?.affinity?.nodeAffinity;
  const affinity: Affinity = { ...spec.affinity };
  delete affinity.nodeAffinity;
  if (wanted) affinity.nodeAffinity = wanted;
  if (Object.keys(affinity).length > 0) spec.affinity = affinity;
  else delete spec.affinity;
  take(spec, next.spec ?? {}, ['nodeSelector', 'tolerations', 'schedulingGates']);
  take((merged.metadata ??= {}), next.metadata ?? {}, ['annotations', 'labels']);
  return merged;
}

function take<T extends object>(into: T, from: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    if (from[name] === undefined) delete into[name];
    else into[name] = from[name];
  }
}

function withResourcesOf(before: PodSpec, next: PodSpec): PodSpec {
  const merged = structuredClone(before);
  for (const kind of ['containers', 'initContainers'] as const) {
    const [olds, news] = [merged[kind] ?? [], next[kind] ?? []];
    if (olds.length !== news.length) continue;
    for (const [i, container] of olds.entries())
      if (news[i] && news[i].name === container.name) take(container, news[i], ['resources']);
  }
  return merged;
}
