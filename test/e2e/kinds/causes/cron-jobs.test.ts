/** CronJobs: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { jobTemplate, selector, template } from '../manifests.js';
import { causes, dotted } from './causes.js';

const cron = (schedule: string, more: object = {}) => ({ spec: { schedule, jobTemplate, ...more } });
const zoned = (timeZone: string) => cron('* * * * *', { timeZone });

causes('cronjobs', [
  {
    name: 'schedule ""',
    given: cron(''),
    expect: ['spec.schedule: Required value'],
  },
  {
    name: 'schedule "* * *"',
    given: cron('* * *'),
    expect: ['spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
  },
  {
    name: 'schedule "* * * * * *"',
    given: cron('* * * * * *'),
    expect: ['spec.schedule: Invalid value: "* * * * * *": expected exactly 5 fields, found 6: [* * * * * *]'],
  },
  {
    name: 'schedule "60 * * * *"',
    given: cron('60 * * * *'),
    expect: ['spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
  },
  {
    name: 'schedule "5-1 * * * *"',
    given: cron('5-1 * * * *'),
    expect: ['spec.schedule: Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1'],
  },
  {
    name: 'schedule "*/0 * * * *"',
    given: cron('*/0 * * * *'),
    expect: ['spec.schedule: Invalid value: "*/0 * * * *": step of range should be a positive number: */0'],
  },
  {
    name: 'schedule "a * * * *"',
    given: cron('a * * * *'),
    expect: [
      'spec.schedule: Invalid value: "a * * * *": failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    ],
  },
  {
    name: 'schedule "@every 1h"',
    given: cron('@every 1h'),
    expect: [],
  },
  {
    name: 'schedule "@foo"',
    given: cron('@foo'),
    expect: ['spec.schedule: Invalid value: "@foo": unrecognized descriptor: @foo'],
  },
  {
    name: 'schedule "TZ=UTC * * * * *"',
    given: cron('TZ=UTC * * * * *'),
    expect: [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  },
  {
    name: 'schedule "CRON_TZ=Nope * * * * *"',
    given: cron('CRON_TZ=Nope * * * * *'),
    expect: [
      'spec.schedule: Invalid value: "CRON_TZ=Nope * * * * *": provided bad location Nope: unknown time zone Nope',
      'spec.schedule: Invalid value: "CRON_TZ=Nope * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  },
  {
    name: 'time zone ""',
    given: zoned(''),
    expect: ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
  },
  {
    name: 'time zone "Nope"',
    given: zoned('Nope'),
    expect: ['spec.timeZone: Invalid value: "Nope": unknown time zone Nope'],
  },
  {
    name: 'time zone "Local"',
    given: zoned('Local'),
    expect: [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  },
  {
    name: 'time zone "local"',
    given: zoned('local'),
    expect: [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  },
  {
    name: 'time zone "../x"',
    given: zoned('../x'),
    expect: ['spec.timeZone: Invalid value: "../x": unknown time zone ../x'],
  },
  {
    name: 'time zone "Europe/Berlin"',
    given: zoned('Europe/Berlin'),
    expect: [],
  },
  {
    name: 'time zone "EUROPE/Berlin"',
    given: zoned('EUROPE/Berlin'),
    expect: ['spec.timeZone: Invalid value: "EUROPE/Berlin": unknown time zone EUROPE/Berlin'],
  },
  {
    name: 'a name of 52 characters',
    given: { ...cron('* * * * *'), metadata: { name: 'n'.repeat(52) } },
    expect: [],
    warnings: [],
  },
  {
    name: 'a name of 53 characters',
    given: { ...cron('* * * * *'), metadata: { name: 'n'.repeat(53) } },
    expect: [
      'metadata.name: Invalid value: "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn": must be no more than 52 characters',
    ],
  },
  {
    name: 'invalid enum values and numbers',
    given: {
      spec: {
        schedule: '* * * * *',
        jobTemplate,
        concurrencyPolicy: 'X',
        startingDeadlineSeconds: -1,
        successfulJobsHistoryLimit: -1,
        failedJobsHistoryLimit: -1,
      },
    },
    expect: [
      `spec.startingDeadlineSeconds: Invalid value: -1: ${texts.natural}`,
      'spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"',
      `spec.successfulJobsHistoryLimit: Invalid value: -1: ${texts.natural}`,
      `spec.failedJobsHistoryLimit: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'an invalid job template',
    given: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template, selector, manualSelector: true } } } },
    expect: [
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  },
  {
    name: 'CronJob: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { schedule: '* * * * *', jobTemplate } },
    expect: [],
    warnings: [dotted],
  },
]);
