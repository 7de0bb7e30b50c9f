/** Defines autoscaling.karmada.io FederatedHPA and CronFederatedHPA. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ageColumn, type Column, type CustomResource, kindSchema } from './custom-resource.js';
import { nativeBlock } from './native-block.js';
import { flag, int32, item, list, struct, text, time } from './schema.js';
import { scaleTarget } from './shared.js';

const hpa = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler';

const rules = nativeBlock('io.k8s.api.autoscaling.v2.HPAScalingRules');
/** An empty list of policies is different from an unset one. */
const scalingRules: Schema = {
  ...rules,
  properties: { ...rules.properties, policies: { ...rules.properties?.['policies'], presence: 'pointer' } },
};

const reference: readonly Column[] = [
  { name: 'REFERENCE-KIND', type: 'string', jsonPath: '.spec.scaleTargetRef.kind' },
  { name: 'REFERENCE-NAME', type: 'string', jsonPath: '.spec.scaleTargetRef.name' },
];

export const federatedHpa: CustomResource = {
  group: 'autoscaling.karmada.io',
  kind: 'FederatedHPA',
  plural: 'federatedhpas',
  shortName: 'fhpa',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Scales a workload by metrics of all clusters that it runs in.', {
        'spec!': struct(
          'What is scaled, by which metrics, between which limits.',
          {
            'scaleTargetRef!': scaleTarget,
            'minReplicas?': int32('The fewest replicas in all clusters together. Unset: 1.'),
            'maxReplicas!': int32('The most replicas in all clusters together.'),
            metrics: list(
              'The metrics; the one that asks for the most replicas counts. Empty: 80 % of the requested CPU.',
              nativeBlock('io.k8s.api.autoscaling.v2.MetricSpec'),
            ),
            'behavior?': struct('How fast it is scaled, as of a HorizontalPodAutoscaler.', {
              'scaleUp?': scalingRules,
              'scaleDown?': scalingRules,
            }),
          },
          { typeName: 'v1alpha1.FederatedHPASpec' },
        ),
        'status=': {
          ...nativeBlock(`${hpa}Status`),
          description: 'What became of it, as of a HorizontalPodAutoscaler.',
        },
      }),
      columns: [
        ...reference,
        { name: 'MINPODS', type: 'integer', jsonPath: '.spec.minReplicas' },
        { name: 'MAXPODS', type: 'integer', jsonPath: '.spec.maxReplicas' },
        { name: 'REPLICAS', type: 'integer', jsonPath: '.status.currentReplicas' },
        ageColumn('AGE'),
      ],
      subresources: 'status',
    },
  ],
};

const rule = item({
  'name!': text('The name of the rule.', { maxLength: 32, minLength: 1 }),
  'schedule!': text('When, in the format of cron: 0 9 * * 1-5.'),
  'targetReplicas?': int32('The replicas that a workload gets.'),
  'targetMinReplicas?': int32('The minReplicas that the FederatedHPA gets.'),
  'targetMaxReplicas?': int32('The maxReplicas that the FederatedHPA gets.'),
  'suspend?': flag('The rule is not executed for now.', { default: false }),
  'timeZone?': text('The time zone of the schedule: Europe/Berlin. Unset: that of the controller.'),
  'successfulHistoryLimit?': int32('How many successful executions are kept.', { default: 3, maximum: 32, minimum: 1 }),
  'failedHistoryLimit?': int32('How many failed executions are kept.', { default: 3, maximum: 32, minimum: 0 }),
});

const times = {
  'executionTime!': time('When it was executed.'),
  'scheduleTime!': time('When it should have been.'),
};

const history = item({
  failedExecutions: list('What failed.', item({ ...times, 'message!': text('Why.') })),
  nextExecutionTime: time('When the rule is executed next.'),
  'ruleName!': text('The rule.'),
  successfulExecutions: list(
    'What succeeded.',
    item({
      appliedMaxReplicas: int32('The maxReplicas that were set.'),
      appliedMinReplicas: int32('The minReplicas that were set.'),
      appliedReplicas: int32('The replicas that were set.'),
      ...times,
    }),
  ),
});

export const cronFederatedHpa: CustomResource = {
  group: 'autoscaling.karmada.io',
  kind: 'CronFederatedHPA',
  plural: 'cronfederatedhpas',
  shortName: 'cronfhpa',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Scales a workload, or the limits of its FederatedHPA, by the clock.', {
        'spec!': struct('What is scaled when.', {
          'rules!': list('When it is scaled, and how far.', rule),
          'scaleTargetRef!': scaleTarget,
        }),
        'status=': struct('What became of it.', {
          executionHistories: list('The last executions of each rule.', history),
        }),
      }),
      columns: [...reference, ageColumn('AGE')],
      subresources: 'status',
    },
  ],
};
