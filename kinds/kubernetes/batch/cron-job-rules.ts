// as pkg/apis/batch/validation ValidateCronJobCreate, ValidateCronJobUpdate
import type { Validate } from '../../../registry/interface.js';
import { templateOptions } from '../core/pod-spec/pod-template-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { shownSelector } from '../../shared/go-text/internal-json.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { scheduleError, timeZoneError } from '../../shared/schedule/cron-schedule.js';
import { validate } from '../../shared/rules/validate.js';
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../api/kubernetes/batch.js';
import { jobSpec } from './job-spec-rules.js';

/** The name leaves space for the time that is appended to it for the job's name. */
const maxNameLength = 52;
const policies = ['Allow', 'Forbid', 'Replace'];

function whole(cron: Field<CronJob>, old: CronJob | undefined): void {
  const spec = cron.at('spec');
  schedule(spec, old?.spec);
  nonNegative(spec.at('startingDeadlineSeconds'));
  const zone = spec.at('timeZone');
  if (zone.isSet && zone.value !== old?.spec?.timeZone) timeZone(zone);
  const policy = spec.at('concurrencyPolicy');
  if (policy.isEmpty) policy.required();
  else if (!policies.includes(policy.value ?? '')) policy.notSupported(policies);
  jobTemplate(spec.at('jobTemplate'), old);
  nonNegative(spec.at('successfulJobsHistoryLimit'));
  nonNegative(spec.at('failedJobsHistoryLimit'));
  const name = cron.at('metadata').at('name');
  if (!old && (name.value ?? '').length > maxNameLength) name.invalid('must be no more than 52 characters');
}

function schedule(spec: Field<CronJobSpec>, old: CronJobSpec | undefined): void {
  const field = spec.at('schedule');
  const text = field.value ?? '';
  if (text === '') {
    field.required();
    return;
  }
  const error = scheduleError(text);
  if (error !== undefined) field.invalid(error);
  if (!text.includes('TZ')) return;
  if (!old?.schedule?.includes('TZ')) field.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (spec.at('timeZone').isSet) field.invalid('cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

// as pkg/apis/batch/validation validateTimeZone
const zonePart = /^(?!\.{1,2}$|-)[A-Za-z.\-_0-9+]{1,14}$/;

function timeZone(zone: Field<string>): void {
  const name = zone.value ?? '';
  if (name === '') return zone.invalid('timeZone must be nil or non-empty string');
  if (name.split('/').some(part => !zonePart.test(part))) return zone.invalid(`unknown time zone ${name}`);
  if (name.toLowerCase() === 'local')
    zone.invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  const error = timeZoneError(name);
  if (error !== undefined) zone.invalid(error);
}

function jobTemplate(template: Field<JobTemplateSpec>, old: CronJob | undefined): void {
  const spec = template.at('spec');
  jobSpec(spec, templateOptions(old?.spec?.jobTemplate?.spec?.template));
  const selector = spec.at('selector');
  if (selector.isSet) selector.invalid('`selector` will be auto-generated', shownSelector(selector.value));
  if (spec.value?.manualSelector) spec.at('manualSelector').notSupported(['nil', 'false'], true);
}

export const cronJobRules: readonly Validate[] = [validate<CronJob>(whole)];
