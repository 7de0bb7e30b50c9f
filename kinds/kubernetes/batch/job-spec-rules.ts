/** Validates the specs of jobs, and of the job templates of cron jobs. */
// as pkg/apis/batch/validation validateJobSpec
import { omitted } from '../../../apimachinery/errors/faults.js';
import { checkQualifiedName, domainPrefixedPathFaults } from '../../../apimachinery/meta/names.js';
import type { PodOptions } from '../core/shared/pod-options.js';
import { podTemplate } from '../core/pod-spec/pod-template-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import type {
  JobSpec,
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../../api/kubernetes/batch.js';
import { countIndexes } from './job-indexes.js';

const naturals = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;
const completionModes = ['NonIndexed', 'Indexed'];
const maxManagerLength = 63;
const many = 100_000;
const maxWhenMany = 10_000;

/** Checks the spec of a Job, also of one in a CronJob, without its selector. as pkg/apis/batch/validation validateJobSpec */
export function jobSpec(spec: Field<JobSpec>, options: PodOptions): void {
  for (const name of naturals) nonNegative(spec.at(name));
  const { maxFailedIndexes, backoffLimitPerIndex, completionMode = 'NonIndexed', successPolicy } = spec.value ?? {};
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined)
    spec.at('backoffLimitPerIndex').required('when maxFailedIndexes is specified');
  const manager = spec.at('managedBy');
  if (manager.isSet) {
    manager.add(...domainPrefixedPathFaults(manager.path, manager.value ?? ''));
    if ((manager.value ?? '').length > maxManagerLength) manager.tooLong(maxManagerLength);
  }
  if (!completionModes.includes(completionMode)) spec.at('completionMode').notSupported(completionModes);
  const isIndexed = completionMode === 'Indexed';
  if (isIndexed) indexed(spec);
  if (completionMode === 'NonIndexed')
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
      if (spec.at(name).isSet) spec.at(name).invalid('requires indexed completion mode');
  if (spec.at('podFailurePolicy').isSet) failurePolicy(spec);
  const success = spec.at('successPolicy');
  if (success.isSet && !isIndexed)
    success.invalid('requires indexed completion mode', shownInternal('SuccessPolicy', successPolicy));
  else if (success.isSet) successRules(spec);
  replacement(spec);
  podTemplate(spec.at('template'), options);
  restartPolicy(spec);
}

function indexed(spec: Field<JobSpec>): void {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec.value ?? {};
  const failed = spec.at('maxFailedIndexes');
  if (completions === undefined) spec.at('completions').required('when completion mode is Indexed');
  if (parallelism > many)
    spec.at('parallelism').invalid(`must be less than or equal to ${many} when completion mode is Indexed`);
  if (completions !== undefined && (maxFailedIndexes ?? 0) > completions)
    failed.invalid('must be less than or equal to completions');
  if ((maxFailedIndexes ?? 0) > many) failed.invalid(`must be less than or equal to ${many}`);
  if ((completions ?? 0) <= many || backoffLimitPerIndex === undefined) return;
  const text = `must be less than or equal to ${maxWhenMany} when completions are above ${many} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) failed.required(`must be specified when completions is above ${many}`);
  if (parallelism > maxWhenMany) spec.at('parallelism').invalid(text);
  if ((maxFailedIndexes ?? 0) > maxWhenMany) failed.invalid(text);
}

function restartPolicy(spec: Field<JobSpec>): void {
  const field = spec.at('template').at('spec').at('restartPolicy');
  const policy = field.value ?? '';
  if (policy === '' || policy === 'Always') field.required('valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never') field.notSupported(['OnFailure', 'Never']);
  else if (spec.value?.podFailurePolicy && policy !== 'Never')
    field.invalid('only "Never" is supported when podFailurePolicy is specified');
}

function replacement(spec: Field<JobSpec>): void {
  const policy = spec.at('podReplacementPolicy');
  const supported = spec.value?.podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (policy.isSet && !supported.includes(policy.value ?? '')) policy.notSupported(supported);
}

const maxRules = 20;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const list = (values: readonly string[]): string => `valid values: [${values.map(v => `"${v}"`).join(' ')}]`;

function failurePolicy(spec: Field<JobSpec>): void {
  const policy: Field<PodFailurePolicy> = spec.at('podFailurePolicy');
  const rules = policy.at('rules');
  const count = (rules.value ?? []).length;
  if (count > maxRules) rules.tooMany(count, maxRules);
  const pod = spec.value?.template?.spec;
  const names = [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map(c => c.name ?? '');
  for (const rule of rules.items()) failureRule(rule, names, spec.value?.backoffLimitPerIndex !== undefined);
}

function failureRule(rule: Field<PodFailurePolicyRule>, names: readonly string[], perIndex: boolean): void {
  const action = rule.at('action');
  if (action.isEmpty) action.required(list(actions));
  else if (action.value === 'FailIndex') {
    if (!perIndex) action.invalid('requires the backoffLimitPerIndex to be set');
  } else if (!actions.includes(action.value ?? '')) action.notSupported(actions);
  const codes = rule.at('onExitCodes');
  const conditions = rule.at('onPodConditions');
  if (codes.isSet) exitCodes(codes, names);
  if (!conditions.isEmpty) podConditions(conditions);
  if (codes.isSet && !conditions.isEmpty)
    rule.invalid('specifying both OnExitCodes and OnPodConditions is not supported', omitted);
  if (!codes.isSet && conditions.isEmpty)
    rule.invalid('specifying one of OnExitCodes and OnPodConditions is required', omitted);
}

const statuses = ['False', 'True', 'Unknown'];

function podConditions(patterns: Field<PodFailurePolicyOnPodConditionsPattern[]>): void {
  const count = (patterns.value ?? []).length;
  if (count > maxRules) patterns.tooMany(count, maxRules);
  for (const pattern of patterns.items()) {
    pattern.at('type').check(checkQualifiedName);
    const status = pattern.at('status');
    if (status.isEmpty) status.required(list(statuses));
    else if (!statuses.includes(status.value ?? '')) status.notSupported(statuses);
  }
}

const operators = ['In', 'NotIn'];
const maxCodes = 255;

function exitCodes(requirement: Field<PodFailurePolicyOnExitCodesRequirement>, names: readonly string[]): void {
  const operator = requirement.at('operator');
  if (operator.isEmpty) operator.required(list(operators));
  else if (!operators.includes(operator.value ?? '')) operator.notSupported(operators);
  const container = requirement.at('containerName');
  if (container.isSet && !names.includes(container.value ?? ''))
    container.invalid('must be one of the container or initContainer names in the pod template');
  const values = requirement.at('values');
  const codes = values.value ?? [];
  if (codes.length === 0) values.invalid('at least one value is required');
  else if (codes.length > maxCodes) values.tooMany(codes.length, maxCodes);
  const seen = new Set<number>();
  for (const code of values.items()) {
    const value = code.value ?? 0;
    if (operator.value === 'In' && value === 0) code.invalid('must not be 0 for the In operator', 0);
    if (seen.has(value)) code.duplicate(value);
    seen.add(value);
  }
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? 0) > code)) values.invalid('must be ordered');
}

function successRules(spec: Field<JobSpec>): void {
  const rules = spec.at('successPolicy').at('rules');
  const count = (rules.value ?? []).length;
  if (count === 0) rules.required('at least one rules must be specified when the successPolicy is specified');
  if (count > maxRules) rules.tooMany(count, maxRules);
  for (const rule of rules.items()) successRule(rule, spec.value?.completions ?? 0);
}

const maxIndexesLength = 64 * 1024;

function successRule(rule: Field<SuccessPolicyRule>, completions: number): void {
  const indexes = rule.at('succeededIndexes');
  const count = rule.at('succeededCount');
  if (!indexes.isSet && !count.isSet)
    rule.required('at least one of succeededCount or succeededIndexes must be specified');
  let total = 0;
  if (indexes.isSet) {
    if ((indexes.value ?? '').length > maxIndexesLength) indexes.tooLong(maxIndexesLength);
    const read = countIndexes(indexes.value ?? '', completions);
    if (typeof read === 'object') indexes.invalid(`error parsing succeededIndexes: ${read.error}`);
    else total = read;
  }
  if (!count.isSet) return;
  nonNegative(count);
  const upperLimitText = (n: number, what: string): string =>
    `must be less than or equal to ${n} (the number of ${what})`;
  if ((count.value ?? 0) > completions) count.invalid(upperLimitText(completions, 'specified completions'));
  if (indexes.isSet && (count.value ?? 0) > total)
    count.invalid(upperLimitText(total, 'indexes in the specified succeededIndexes field'));
}
